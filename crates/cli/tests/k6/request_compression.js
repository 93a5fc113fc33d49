// Bodies of requests are compressed in the order that is asked for.
// exit: 0
// holds: checks.fails == 0
// holds: checks.passes == 7
import http from 'k6/http';
import { check } from 'k6';
const text = 'the same words over and over, '.repeat(2000);
export default function () {
  for (const compression of ['gzip', 'deflate', 'br', 'zstd', 'gzip, br', 'br, zstd']) {
    const sent = http.post(`${__ENV.URL}/echo`, text, { compression }).json();
    const encoding = sent.headers.find(([name]) => name.toLowerCase() === 'content-encoding');
    check(sent, { 'named and small': () => encoding[1] === compression && sent.body_bytes > 20 && sent.body_bytes < 1000 });
  }
  const none = http.post(`${__ENV.URL}/echo`, text, { compression: 'lzw' });
  check(none, { 'no such compression': () => none.status === 0 });
}

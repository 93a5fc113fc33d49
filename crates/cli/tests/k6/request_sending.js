// Sending lasts until the system has taken all of a request, however large.
// exit: 0
// holds: checks.fails == 0
// holds: http_req_sending.min > 0
// holds: http_req_sending.max >= 1
import http from 'k6/http';
import { check } from 'k6';
export default function () {
  const small = http.get(`${__ENV.URL}/hello`).timings;
  const large = http.post(`${__ENV.URL}/`, 'x'.repeat(30_000_000)).timings;
  const sum = large.sending + large.waiting + large.receiving;
  check(null, {
    'small is short': () => small.sending > 0 && small.sending < 50,
    'large is longer': () => large.sending > small.sending && large.sending > 1,
    'duration is the sum': () => Math.abs(large.duration - sum) < 0.001,
  });
}

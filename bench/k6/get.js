// A request and a check, as fast as 64 users can.
import http from 'k6/http';
import { check } from 'k6';

export const options = { vus: 64, duration: `${__ENV.SECS}s` };

export default function () {
  const answer = http.get(__ENV.URL);
  check(answer, { 'status is 200': (r) => r.status === 200 });
}

// Each user begins, does one thing and is done.
import http from 'k6/http';
import { check, sleep } from 'k6';

export const options = {
  scenarios: { once: { executor: 'per-vu-iterations', vus: Number(__ENV.USERS), iterations: 1 } },
};

export default function () {
  if (__ENV.URL) check(http.get(__ENV.URL), { 'status is 200': (r) => r.status === 200 });
  sleep(0.001);
}

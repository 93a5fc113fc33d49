// Users that do nothing, so that what is left is what a user takes.
import http from 'k6/http';
import { check, sleep } from 'k6';

export const options = {
  scenarios: {
    idle: { executor: 'constant-vus', vus: Number(__ENV.USERS), duration: `${__ENV.SECS}s`, gracefulStop: '0s' },
  },
};

export default function () {
  sleep(3600);
  check(http.get(__ENV.URL), { 'status is 200': (r) => r.status === 200 });
}

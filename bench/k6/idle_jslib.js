// The same with the library for scripts.
import http from 'k6/http';
import { check, sleep } from 'k6';
import { tagWithCurrentStageIndex, randomIntBetween } from 'k6-utils';

export const options = {
  scenarios: {
    idle: { executor: 'constant-vus', vus: Number(__ENV.USERS), duration: `${__ENV.SECS}s`, gracefulStop: '0s' },
  },
};

export default function () {
  sleep(3600);
  tagWithCurrentStageIndex();
  check(http.get(__ENV.URL), { 'status is 200': (r) => r.status === 200 });
  sleep(randomIntBetween(1, 5));
}

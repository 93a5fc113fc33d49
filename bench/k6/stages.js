// The same, each iteration tagged with its stage.
import http from 'k6/http';
import { check } from 'k6';
import { tagWithCurrentStageIndex } from 'k6-utils';

export const options = {
  scenarios: {
    staged: {
      executor: 'ramping-vus',
      startVUs: 64,
      stages: [{ duration: `${__ENV.SECS}s`, target: 64 }],
      gracefulRampDown: '0s',
      gracefulStop: '0s',
    },
  },
};

export default function () {
  tagWithCurrentStageIndex();
  const answer = http.get(__ENV.URL);
  check(answer, { 'status is 200': (r) => r.status === 200 });
}

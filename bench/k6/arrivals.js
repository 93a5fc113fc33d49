// Iterations at a fixed rate.
import http from 'k6/http';

export const options = {
  scenarios: {
    paced: {
      executor: 'constant-arrival-rate',
      rate: Number(__ENV.RATE),
      duration: `${__ENV.SECS}s`,
      preAllocatedVUs: 64,
    },
  },
};

export default function () {
  http.get(__ENV.URL);
}

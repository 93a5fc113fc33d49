// Users that are not there before the start are made when they are needed.
// exit: 0
// free: counts
// stdout: 10.00 iterations/s for 1s (maxVUs: 1-10, gracefulStop: 30s)
// holds: iterations.count >= 2
// holds: vus_max.max >= 2
import { sleep } from 'k6';
export const options = { scenarios: { a: { executor: 'constant-arrival-rate', rate: 10, duration: '1s', preAllocatedVUs: 1, maxVUs: 10 } } };
export default function () { sleep(1.2); }

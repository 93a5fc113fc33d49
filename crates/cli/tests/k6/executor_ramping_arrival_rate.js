// The first iteration begins when the rate's integral is 1: 4/s for a second are iterations at 0.25, 0.5, 0.75 and 1 s.
// exit: 0
// free: counts
// stdout: * a: Up to 4.00 iterations/s for 1s over 1 stages (maxVUs: 2, gracefulStop: 30s)
// holds: iterations.count >= 3
// holds: iterations.count <= 4
// holds: first_start_ms.min >= 240
// holds: first_start_ms.min <= 400
import exec from 'k6/execution';
import { Trend } from 'k6/metrics';
const first = new Trend('first_start_ms');
export const options = { scenarios: { a: { executor: 'ramping-arrival-rate', startRate: 4, preAllocatedVUs: 2,
  stages: [{ duration: '1s', target: 4 }] } } };
export default function () { first.add(Date.now() - exec.scenario.startTime); }

// The number of users follows stages; a stage without length is a jump.
// exit: 0
// stdout: * a: Up to 4 looping VUs for 1s over 3 stages (gracefulRampDown: 30s, gracefulStop: 30s)
// holds: iterations.count >= 16
// holds: iterations.count <= 26
import { sleep } from 'k6';
export const options = { scenarios: { a: { executor: 'ramping-vus', startVUs: 0,
  stages: [{ duration: 0, target: 2 }, { duration: '500ms', target: 2 }, { duration: '500ms', target: 4 }] } } };
export default function () { sleep(0.1); }

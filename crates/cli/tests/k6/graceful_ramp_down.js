// A user that is no longer wanted has gracefulRampDown for its iteration.
// exit: 0
// stdout: 0 complete and 1 interrupted iterations
import { sleep } from 'k6';
export const options = { scenarios: { a: { executor: 'ramping-vus', startVUs: 1, gracefulRampDown: '100ms',
  stages: [{ duration: '300ms', target: 1 }, { duration: 0, target: 0 }, { duration: '900ms', target: 0 }] } } };
export default function () { sleep(9); }

// What each user has left at the end of the time is dropped.
// exit: 0
// holds: iterations.count == 2
// holds: dropped_iterations.count == 8
import { sleep } from 'k6';
export const options = { scenarios: { a: { executor: 'per-vu-iterations', vus: 2, iterations: 5, maxDuration: '1s' } } };
export default function () { sleep(1.05); }

// Iterations that were never begun are dropped, in one sample.
// exit: 0
// holds: iterations.count == 2
// holds: dropped_iterations.count == 8
import { sleep } from 'k6';
export const options = { scenarios: { a: { executor: 'shared-iterations', vus: 2, iterations: 10, maxDuration: '1s' } } };
export default function () { sleep(1.05); }

// One that does end within it is complete.
// exit: 0
// stdout: 1 complete and 0 interrupted iterations
// holds: iterations.count == 1
import { sleep } from 'k6';
export const options = { scenarios: { a: { executor: 'constant-vus', vus: 1, duration: '1s', gracefulStop: '5s' } } };
export default function () { sleep(1.3); }

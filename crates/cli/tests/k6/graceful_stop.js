// An iteration that does not end within gracefulStop is interrupted and counted nowhere else.
// exit: 0
// stdout: 0 complete and 1 interrupted iterations
// stderr: No script iterations fully finished, consider making the test duration longer
// absent: iterations
import { sleep } from 'k6';
export const options = { scenarios: { a: { executor: 'constant-vus', vus: 1, duration: '1s', gracefulStop: '100ms' } } };
export default function () { sleep(9); }

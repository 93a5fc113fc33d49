// Users loop until the time is over.
// exit: 0
// absent: iteration_start_delay
// no-stdout: WEIR
// stdout: * a: 2 looping VUs for 1s (gracefulStop: 30s)
// holds: iterations.count >= 6
// holds: iterations.count <= 8
import { sleep } from 'k6';
export const options = { scenarios: { a: { executor: 'constant-vus', vus: 2, duration: '1s' } } };
export default function () { sleep(0.29); }

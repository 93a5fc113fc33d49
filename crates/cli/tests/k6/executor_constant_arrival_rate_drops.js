// Iterations that find no idle user are dropped; it is said once.
// exit: 0
// free: counts
// stderr: level=warning msg="Insufficient VUs, reached 1 active VUs and cannot initialize more"
// stderr: executor=constant-arrival-rate scenario=a
// holds: iterations.count == 1
// holds: dropped_iterations.count >= 9
// holds: dropped_iterations.count <= 10
import { sleep } from 'k6';
export const options = { scenarios: { a: { executor: 'constant-arrival-rate', rate: 10, duration: '1s', preAllocatedVUs: 1 } } };
export default function () { sleep(1.2); }

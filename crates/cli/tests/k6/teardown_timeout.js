// exit: 101
// stderr: teardown() execution timed out after 1 seconds
// stderr: hint="You can increase the time limit via the teardownTimeout option"
// holds: iterations.count == 1
import { sleep } from 'k6';
export const options = { teardownTimeout: '1s' };
export default function () {}
export function teardown() { sleep(5); }

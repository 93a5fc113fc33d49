// exit: 100
// stderr: setup() execution timed out after 1 seconds
// stderr: hint="You can increase the time limit via the setupTimeout option"
// absent: iterations
import { sleep } from 'k6';
export const options = { setupTimeout: '1s' };
export function setup() { sleep(5); }
export default function () {}

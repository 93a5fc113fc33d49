// The test goes on and is marked.
// exit: 110
// stderr: not good
// holds: iterations.count == 3
import exec from 'k6/execution';
export const options = { iterations: 3 };
export default function () { exec.test.fail('not good'); }

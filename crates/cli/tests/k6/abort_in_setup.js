// exit: 108
// stderr: test aborted: not now
// absent: iterations
import exec from 'k6/execution';
export function setup() { exec.test.abort('not now'); }
export default function () {}

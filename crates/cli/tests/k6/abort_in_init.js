// exit: 108
// stderr: test aborted
import exec from 'k6/execution';
exec.test.abort();
export default function () {}

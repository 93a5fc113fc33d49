// The script ends the test; teardown and summary come.
// exit: 108
// stderr: level=error msg="test aborted: enough at 
// stderr: torn down
// holds: before.count == 1
// no-stderr: never
import exec from 'k6/execution';
import { sleep } from 'k6';
import { Counter } from 'k6/metrics';
const before = new Counter('before');
export const options = { vus: 2, duration: '20s' };
export default function () {
  if (__VU === 1) { before.add(1); exec.test.abort('enough'); console.log('never'); }
  sleep(10);
}
export function teardown() { console.log('torn down'); }

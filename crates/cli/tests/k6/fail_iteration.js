// exit: 0
// stderr: bad luck
// holds: iterations.count == 2
// holds: after.count == 1
import { fail } from 'k6';
import { Counter } from 'k6/metrics';
const after = new Counter('after');
export const options = { iterations: 2 };
export default function () { if (__ITER === 0) fail('bad luck'); after.add(1); }

// Failed checks change no exit code.
// exit: 0
// stdout: checks_total.......: 4
// stdout: checks_succeeded...: 75.00% 3 out of 4
// stdout: checks_failed......: 25.00% 1 out of 4
// stdout: ✗ third
// stdout: ↳  50% — ✓ 1 / ✗ 1
// holds: checks.passes == 3
// holds: checks.fails == 1
import { check } from 'k6';
export const options = { iterations: 2 };
export default function () { check(__ITER, { second: () => true, third: (n) => n === 0 }); }

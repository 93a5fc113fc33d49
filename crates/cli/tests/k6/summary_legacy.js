// args: --summary-mode legacy
// k6: 1
// exit: 0
// stdout:      ✓ good
// stdout:      iterations...........: 1
// no-stdout: TOTAL RESULTS
import { check } from 'k6';
export default function () { check(1, { good: () => true }); }

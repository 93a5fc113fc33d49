// With a delay that the test does not reach there is no abort.
// exit: 99
// no-stderr: stopping test prematurely
// holds: iterations.count >= 9
import { check, sleep } from 'k6';
export const options = { vus: 1, duration: '1s', thresholds: { checks: [{ threshold: 'rate>0.5', abortOnFail: true, delayAbortEval: '10s' }] } };
export default function () { check(1, { no: () => false }); sleep(0.1); }

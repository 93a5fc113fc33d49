// A crossed threshold ends the test at the next look, every two seconds; teardown runs.
// exit: 99
// stderr: level=error msg="thresholds on metrics 'checks' were crossed; at least one has abortOnFail enabled, stopping test prematurely"
// stderr: torn down
import { check, sleep } from 'k6';
export const options = { vus: 1, duration: '20s', thresholds: { checks: [{ threshold: 'rate>0.5', abortOnFail: true }] } };
export default function () { check(1, { no: () => false }); sleep(0.1); }
export function teardown() { console.log('torn down'); }

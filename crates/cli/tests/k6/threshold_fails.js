// exit: 99
// stdout: ✗ 'count>3' count=3
// stderr: level=error msg="thresholds on metrics 'a_counter, iterations' have been crossed"
// holds: iterations.thresholds.count>3 == 1
import { Counter } from 'k6/metrics';
new Counter('a_counter');
export const options = { iterations: 3, thresholds: { iterations: ['count>3'], a_counter: ['count>0'] } };
export default function () {}

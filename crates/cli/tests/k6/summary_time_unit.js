// exit: 0
// stdout: avg=1500.00ms
import { Trend } from 'k6/metrics';
const time = new Trend('a_time', true);
export const options = { summaryTimeUnit: 'ms' };
export default function () { time.add(1500); }

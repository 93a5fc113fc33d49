// args: --summary-trend-stats count,p(50),p(99.9)
// exit: 0
// stdout: count=4 p(50)=2.5
// holds: a_trend.count == 4
// holds: a_trend.p(50) == 2.5
import { Trend } from 'k6/metrics';
const trend = new Trend('a_trend');
export default function () { [1, 2, 3, 4].forEach((value) => trend.add(value)); }

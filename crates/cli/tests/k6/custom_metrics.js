// exit: 0
// stdout: a_rate...............: 50.00% 1 out of 2
// stdout: a_gauge..............: 3      min=1
// holds: a_counter.count == 7
// holds: a_gauge.value == 3
// holds: a_gauge.min == 1
// holds: a_gauge.max == 5
// holds: a_rate.value == 0.5
// holds: a_trend.avg == 2
// holds: a_trend.max == 3
import { Counter, Gauge, Rate, Trend } from 'k6/metrics';
const [counter, gauge, rate, trend, time] = [new Counter('a_counter'), new Gauge('a_gauge'), new Rate('a_rate'), new Trend('a_trend'), new Trend('a_time', true)];
export default function () {
  counter.add(3); counter.add(4);
  gauge.add(5); gauge.add(1); gauge.add(3);
  rate.add(true); rate.add(0);
  trend.add(1); trend.add(3); time.add(1500);
}

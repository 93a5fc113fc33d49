// Iterations that come late say how late, and how long somebody who came on time waited: with one user and iterations of 300 ms, due every 200 ms.
// args: --queue --summary-trend-stats min,max,count
// exit: 99
// stdout:     WEIR
// stdout:     iteration_response_time...: min=
// stdout:     ✗ 'max<250' max=
// holds: iterations.count == 5
// holds: iteration_start_delay.count == 5
// holds: iteration_start_delay.min <= 50
// holds: iteration_start_delay.max >= 390
// holds: iteration_response_time.count == 5
// holds: iteration_response_time.min >= 300
// holds: iteration_response_time.max >= 690
// holds: iteration_response_time.thresholds.max<250 == 1
import { sleep } from 'k6';
export const options = {
  scenarios: { a: { executor: 'constant-arrival-rate', rate: 5, duration: '1s', preAllocatedVUs: 1, gracefulStop: '5s' } },
  thresholds: { iteration_response_time: ['max<250'] },
};
export default function () {
  sleep(0.3);
}

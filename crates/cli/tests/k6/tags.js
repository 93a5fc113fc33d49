// Tags of the run, of a sample, of a user.
// args: --tag run=one
// exit: 0
// holds: mine{run:one}.count == 3
// holds: mine{kind:b}.count == 1
// holds: iterations{user:u}.count == 1
import exec from 'k6/execution';
import { Counter } from 'k6/metrics';
const mine = new Counter('mine');
export const options = { thresholds: { 'mine{run:one}': ['count==3'], 'mine{kind:b}': ['count==1'], 'iterations{user:u}': ['count==1'] } };
export default function () {
  mine.add(1); mine.add(1, { kind: 'a' }); mine.add(1, { kind: 'b' });
  exec.vu.metrics.tags.user = 'u';
}

// Groups are tags of what is measured in them, and sections of the full summary.
// args: --summary-mode full
// exit: 0
// stdout: █ GROUP: outer
// stdout: ↳ GROUP: inner
// holds: checks.passes == 2
// holds: group_duration.count == 2
// holds: checks{group:::outer::inner}.passes == 1
import { check, group } from 'k6';
export const options = { summaryTrendStats: ['count', 'avg'], thresholds: { 'checks{group:::outer::inner}': ['rate==1'] } };
export default function () {
  group('outer', () => {
    check(1, { one: (n) => n === 1 });
    const back = group('inner', () => { check(1, { two: () => true }); return 'value'; });
    if (back !== 'value') throw new Error('a group returns what its function does');
  });
}

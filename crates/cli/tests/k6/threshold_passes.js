// exit: 0
// stdout: ✓ 'count==3' count=3
// holds: iterations.thresholds.count==3 == 0
export const options = { iterations: 3, thresholds: { iterations: ['count==3'] } };
export default function () {}

// args: --no-thresholds
// exit: 0
// no-stdout: THRESHOLDS
export const options = { thresholds: { iterations: ['count>5'] } };
export default function () {}

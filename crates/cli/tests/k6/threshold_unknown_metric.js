// exit: 104
// stderr: nothing_like_it
export const options = { thresholds: { nothing_like_it: ['count>0'] } };
export default function () {}

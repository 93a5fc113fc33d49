// exit: 104
// stderr: countt>0
export const options = { thresholds: { iterations: ['countt>0'] } };
export default function () {}

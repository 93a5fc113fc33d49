// exit: 104
// stderr: simultaneously is not allowed
export const options = { iterations: 1, stages: [{ duration: '1s', target: 1 }] };
export default function () {}

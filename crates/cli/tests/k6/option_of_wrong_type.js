// exit: 104
// stderr: vus
export const options = { vus: 2.5, iterations: 3 };
export default function () {}

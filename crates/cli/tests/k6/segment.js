// A part of the load: a quarter of four users and of eight iterations.
// args: --execution-segment 1/4
// exit: 0
// stdout: (25.00%) 1 scenario, 1 max VUs
// holds: iterations.count == 2
export const options = { vus: 4, iterations: 8 };
export default function () {}

// Each user does its own number.
// exit: 0
// stdout: * a: 3 iterations for each of 2 VUs (maxDuration: 10m0s, gracefulStop: 30s)
// stdout: msg="user 1 iteration 2"
// stdout: msg="user 2 iteration 0"
// args: --log-output stdout
// holds: iterations.count == 6
export const options = { scenarios: { a: { executor: 'per-vu-iterations', vus: 2, iterations: 3 } } };
export default function () { console.log(`user ${__VU} iteration ${__ITER}`); }

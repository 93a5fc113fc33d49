// Half of 20/s.
// args: --execution-segment 0:1/2
// exit: 0
// free: counts
// holds: iterations.count >= 10
// holds: iterations.count <= 11
export const options = { scenarios: { a: { executor: 'constant-arrival-rate', rate: 20, duration: '1s', preAllocatedVUs: 4 } } };
export default function () {}

// Iterations begin at a rate, the first at once.
// exit: 0
// free: counts
// stdout: * a: 20.00 iterations/s for 1s (maxVUs: 5, gracefulStop: 30s)
// holds: iterations.count >= 20
// holds: iterations.count <= 21
export const options = { scenarios: { a: { executor: 'constant-arrival-rate', rate: 20, duration: '1s', preAllocatedVUs: 5 } } };
export default function () {}

// Numbers may be texts; a bare number of a duration is ms.
// exit: 0
// free: counts
// stdout: 40.00 iterations/s for 1s (maxVUs: 2-4)
// holds: iterations.count >= 40
// holds: iterations.count <= 41
export const options = { scenarios: { a: { executor: 'constant-arrival-rate', rate: '40', timeUnit: '1s', duration: '1000', preAllocatedVUs: '2', maxVUs: '4', gracefulStop: '0s' } } };
export default function () {}

// A script that never gives the thread back is interrupted at the end of gracefulStop.
// exit: 0
// stdout: 0 complete and 1 interrupted iterations
// absent: iterations
export const options = { scenarios: { a: { executor: 'constant-vus', vus: 1, duration: '1s', gracefulStop: '0s' } } };
export default function () { for (;;) {} }

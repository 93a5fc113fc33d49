// args: -u 2 -i 6
// exit: 0
// stderr: "cli\" level configuration overrode scenarios configuration entirely"
// stdout: * default: 6 iterations shared among 2 VUs (maxDuration: 10m0s, gracefulStop: 30s)
// holds: iterations.count == 6
export const options = { scenarios: { a: { executor: 'constant-vus', vus: 1, duration: '20s' } } };
export default function () {}

// The users share a number of iterations.
// exit: 0
// stdout: * a: 7 iterations shared among 3 VUs (maxDuration: 10m0s, gracefulStop: 30s)
// holds: iterations.count == 7
import { sleep } from 'k6';
export const options = { scenarios: { a: { executor: 'shared-iterations', vus: 3, iterations: 7 } } };
export default function () { sleep(0.01); }

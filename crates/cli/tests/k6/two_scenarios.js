// Scenarios run beside each other, each with its function, tags and variables; one begins later.
// exit: 0
// stdout: scenarios: (100.00%) 2 scenarios, 3 max VUs, 10m30s max duration (incl. graceful stop):
// stdout: * b: 2 iterations for each of 2 VUs (maxDuration: 1m0s, exec: other, startTime: 200ms, gracefulStop: 5s)
// stdout: { kind:odd }
// holds: iterations.count == 5
// holds: iterations{scenario:b}.count == 4
// holds: iterations{kind:odd}.count == 4
// holds: checks.passes == 5
// holds: checks.fails == 0
import { check } from 'k6';
export const options = {
  scenarios: {
    a: { executor: 'shared-iterations', vus: 1, iterations: 1, env: { WHAT: 'x' } },
    b: { executor: 'per-vu-iterations', vus: 2, iterations: 2, maxDuration: '1m', exec: 'other', startTime: '200ms', gracefulStop: '5s', tags: { kind: 'odd' }, env: { WHAT: 'y' } },
  },
  thresholds: { 'iterations{scenario:b}': ['count==4'], 'iterations{kind:odd}': ['count==4'] },
};
export default function () { check(__ENV.WHAT, { env: (what) => what === 'x' }); }
export function other() { check(__ENV.WHAT, { env: (what) => what === 'y' }); }

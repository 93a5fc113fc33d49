// What setup returns comes as JSON to each user and to teardown; what a user does with its copy is its own.
// exit: 0
// stderr: level=info msg="setup {\"list\":[1,2]}" source=console
// stderr: level=info msg="teardown {\"list\":[1,2]}" source=console
// holds: checks.passes == 4
// holds: checks.fails == 0
// holds: iterations.count == 4
import { check } from 'k6';
export const options = { scenarios: { a: { executor: 'per-vu-iterations', vus: 2, iterations: 2 } } };
export function setup() { const data = { list: [1, 2] }; console.log('setup ' + JSON.stringify(data)); return data; }
export default function (data) {
  data.list.push(3);
  check(data, { 'own copy': (d) => d.list.length === 3 + __ITER });
}
export function teardown(data) { console.log('teardown ' + JSON.stringify(data)); }

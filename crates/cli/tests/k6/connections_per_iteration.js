// A user's connections last for its iterations, for one of them, or for one request.
// args: --no-vu-connection-reuse
// exit: 0
// no-stderr: not honoured
// holds: checks.fails == 0
// holds: checks.passes == 6
// holds: http_reqs.count == 10
import http from 'k6/http';
import { check } from 'k6';
export const options = { iterations: 2 };
let last = -1;
const connection = (response) => response.json().connection;
export default function () {
  const [one, two] = [connection(http.get(`${__ENV.URL}/echo`)), connection(http.get(`${__ENV.URL}/echo`))];
  const beside = http.batch([`${__ENV.URL}/echo`, `${__ENV.URL}/echo`, `${__ENV.URL}/echo`]).map(connection);
  check(one, {
    'another in each iteration': () => one.index !== last && one.request_index === 1,
    'the same within it': () => two.index === one.index && two.request_index === 2,
    'so for those beside it': () => beside.every((other) => other.index >= one.index),
  });
  last = one.index;
}

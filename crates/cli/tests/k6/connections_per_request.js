// args: --no-connection-reuse
// exit: 0
// holds: checks.fails == 0
// holds: checks.passes == 4
// holds: http_req_connecting.min > 0
import http from 'k6/http';
import { check } from 'k6';
export const options = { iterations: 2 };
export default function () {
  for (let at = 0; at < 2; at += 1) {
    const { connection } = http.get(`${__ENV.URL}/echo`).json();
    check(connection, { 'one request on each': () => connection.request_index === 1 });
  }
}

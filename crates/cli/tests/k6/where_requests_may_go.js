// Names with addresses of their own, names and networks that are blocked, and the rate of all users together.
// exit: 0
// stderr: error="Get \"http://10.1.2.3/\": ip is blacklisted"
// stderr: msg="Request:\nGET /hello HTTP/1.1\nhost: a.test:
// stderr: msg="Response:\nHTTP/1.1 200 OK\n
// holds: checks.fails == 0
// holds: checks.passes == 3
// holds: http_req_failed.passes == 3
// holds: iteration_duration.min >= 340
import http from 'k6/http';
import { check } from 'k6';
export const options = {
  iterations: 1,
  httpDebug: 'headers',
  rps: 20,
  hosts: { 'a.test': '127.0.0.1', '*.other.test': '127.0.0.1' },
  blacklistIPs: ['10.0.0.0/8'],
  blockHostnames: ['*.bad.test', 'exact.test'],
};
export default function () {
  const port = __ENV.URL.split(':')[2];
  const statuses = ['a.test', 'x.other.test', 'A.test', 'a.test', 'a.test'].map((name) => http.get(`http://${name}:${port}/hello`).status);
  const failed = ['10.1.2.3', 'x.bad.test', 'exact.test'].map((name) => http.get(`http://${name}/`));
  check(null, {
    'names have addresses': () => statuses.every((status) => status === 200),
    codes: () => failed.map((one) => one.error_code).join() === '1110,1111,1111',
    errors: () => failed.map((one) => one.error).join() === 'ip is blacklisted,hostname is blocked,hostname is blocked',
  });
}

// Where nobody asks for a log-in, a request with auth "ntlm" is sent once and without credentials; a log-in that is not
// there is said, and sent as if it were basic.
// exit: 0
// holds: checks.fails == 0
// holds: checks.passes == 2
// stderr: auth 'kerberos' is not there
// holds: http_reqs.count == 2
import http from 'k6/http';
import { check } from 'k6';
export default function () {
  const url = __ENV.URL.replace('http://', 'http://user:password@');
  const sent = http.get(`${url}/echo`, { auth: 'ntlm' }).json();
  check(sent, { 'no credentials': () => !sent.headers.some(([name]) => name.toLowerCase() === 'authorization') });
  check(http.get(`${url}/echo`, { auth: 'kerberos' }), { 'no such log-in': (r) => r.status === 200 });
}

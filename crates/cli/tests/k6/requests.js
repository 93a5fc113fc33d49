// The counts and parts of requests.
// exit: 0
// holds: http_reqs.count == 4
// holds: http_req_failed.passes == 2
// holds: http_req_duration.min > 0
// holds: http_req_duration{expected_response:true}.min > 0
// holds: data_received.count > 0
// holds: data_sent.count > 0
// holds: checks.fails == 0
import http from 'k6/http';
import { check } from 'k6';
export const options = { iterations: 2 };
export default function () {
  check(http.get(`${__ENV.URL}/hello`), { ok: (r) => r.status === 200 && r.body === 'Hello world' });
  check(http.get(`${__ENV.URL}/nowhere`), { none: (r) => r.status === 404 });
}

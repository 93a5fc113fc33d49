// Of old releases: users that may be changed from outside.
// exit: 0
// k6: 1
// holds: iterations.count >= 6
// holds: iterations.count <= 8
import { sleep } from 'k6';
export const options = { scenarios: { a: { executor: 'externally-controlled', vus: 2, maxVUs: 3, duration: '1s' } } };
export default function () { sleep(0.29); }

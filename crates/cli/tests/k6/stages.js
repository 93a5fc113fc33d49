// exit: 0
// stdout: * default: Up to 3 looping VUs for 1s over 2 stages (gracefulRampDown: 30s, gracefulStop: 30s)
// holds: iterations.count >= 10
import { sleep } from 'k6';
export const options = { stages: [{ duration: '300ms', target: 3 }, { duration: '700ms', target: 3 }] };
export default function () { sleep(0.1); }

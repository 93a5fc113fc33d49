// args: -u 2 -d 1s
// exit: 0
// stdout: 2 looping VUs for 1s (gracefulStop: 30s)
// holds: iterations.count >= 6
import { sleep } from 'k6';
export default function () { sleep(0.25); }

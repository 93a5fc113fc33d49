// args: -s 500ms:2 -s 500ms:0
// exit: 0
// stdout: Up to 2 looping VUs for 1s over 2 stages
// holds: iterations.count >= 3
import { sleep } from 'k6';
export default function () { sleep(0.1); }

// exit: 0
// stderr: ready
import { sleep } from 'k6';

sleep(0.01);

export default function () {
  console.log('ready');
}

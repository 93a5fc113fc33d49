// A name that k6's modules do not have is undefined, as it is with k6: the script runs as long as it is not called.
// exit: 0
// stderr: undefined undefined function
// stderr: TypeError: gone is not a function
import { check, gone } from 'k6';
import { none } from 'k6/http';

export const options = { iterations: 1 };

export default function () {
  console.log(typeof gone, typeof none, typeof check);
  gone();
}

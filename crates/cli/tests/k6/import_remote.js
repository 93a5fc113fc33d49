// Nothing is fetched unless somebody asks for it; the error says what to do.
// exit: 107
// stderr: https://example.org/lib/index.js is not on this machine
// stderr: --jslib DIR
// stderr: weir k6 vendor
// stderr: --allow-remote
import { it } from 'https://example.org/lib/index.js';

export default function () {
  it();
}

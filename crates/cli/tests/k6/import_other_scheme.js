// exit: 107
// stderr: http://example.org/lib.js is neither an https URL nor a file:// one
import 'http://example.org/lib.js';

export default function () {}

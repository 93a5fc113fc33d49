// exit: 107
// stderr: k6/nowhere
import nowhere from 'k6/nowhere';
export default function () { nowhere(); }

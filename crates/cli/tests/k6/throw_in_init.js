// exit: 107
// stderr: Error: at once
// stderr: throw_in_init.js:4:
throw new Error('at once');
export default function () {}

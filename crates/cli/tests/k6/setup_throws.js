// The test does not begin, and there is no teardown.
// exit: 107
// stderr: boom
// stderr: hint="script exception"
// no-stderr: torn
// absent: iterations
export function setup() { throw new Error('boom'); }
export default function () {}
export function teardown() { console.log('torn'); }

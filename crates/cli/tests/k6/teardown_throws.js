// exit: 107
// stderr: crash
// holds: iterations.count == 1
export default function () {}
export function teardown() { throw new Error('crash'); }

// exit: 0
// stderr: level=error msg="failed to handle the end-of-test summary" error="handleSummary() should return a map with string keys"
// no-stdout: TOTAL RESULTS
export default function () {}
export function handleSummary() { return 'text'; }

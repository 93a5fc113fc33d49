// The common text stands in for it.
// exit: 0
// stderr: Error: broken
// stdout: TOTAL RESULTS
export default function () {}
export function handleSummary() { throw new Error('broken'); }

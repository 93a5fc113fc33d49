// exit: 0
// no-stdout: TOTAL RESULTS
export default function () {}
export function handleSummary() { return {}; }

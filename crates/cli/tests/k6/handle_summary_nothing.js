// exit: 0
// stdout: TOTAL RESULTS
export default function () {}
export function handleSummary() {}

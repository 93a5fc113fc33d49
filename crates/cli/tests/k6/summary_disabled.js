// args: --summary-mode disabled
// exit: 0
// no-stdout: iterations......
// no-stdout: never
export default function () {}
export function handleSummary() { return { stdout: 'never' }; }

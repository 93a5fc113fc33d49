// exit: 0
// stderr: Error: later
// holds: iterations.count == 1
export default async function () { await null; throw new Error('later'); }

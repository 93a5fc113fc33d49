// A user's memory has a limit; the others and the test go on.
// exit: 0
// k6: none: it takes all of the machine's memory
// stderr: out of memory
// holds: iterations.count == 1
export default function () { const list = []; for (;;) list.push(new Array(1000).fill(list.length)); }

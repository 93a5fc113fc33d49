// exit: 104
// stderr: nonsense
export const options = { scenarios: { a: { executor: 'nonsense' } } };
export default function () {}

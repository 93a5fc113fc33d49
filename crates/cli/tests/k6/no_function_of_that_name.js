// exit: 104
// stderr: function 'other' not found in exports
export const options = { scenarios: { a: { executor: 'shared-iterations', exec: 'other' } } };
export default function () {}

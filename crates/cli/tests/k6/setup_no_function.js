// exit: 255
// stderr: exported 'setup' must be a function
export const setup = 1;
export default function () {}

// args: --no-setup --no-teardown
// exit: 0
// no-stderr: called
export function setup() { console.log('called'); }
export default function () {}
export function teardown() { console.log('called'); }

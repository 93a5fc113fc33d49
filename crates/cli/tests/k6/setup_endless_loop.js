// exit: 100
// stderr: setup() execution timed out after 1 seconds
// stderr: You can increase the time limit via the setupTimeout option
export const options = { setupTimeout: '1s' };

export function setup() {
  for (;;);
}

export default function () {}

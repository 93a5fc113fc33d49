// exit: 255
// stderr: Uncaught (in promise) Error: no data\n\tat setup (
// absent: iterations
export async function setup() {
  throw new Error('no data');
}

export default function () {}

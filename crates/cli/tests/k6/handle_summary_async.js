// exit: 0
// stdout: after a while
export default function () {}

export async function handleSummary() {
  await new Promise((resolve) => setTimeout(resolve, 20));
  return { stdout: 'after a while' };
}

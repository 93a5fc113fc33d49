// exit: 0
// stderr: handleSummary() execution timed out after 1 seconds
export const options = { handleSummaryTimeout: '1s' };

export default function () {}

export function handleSummary() {
  for (;;);
}

// What handleSummary returns is written where it says.
// exit: 0
// stdout: three 3
// stderr: to stderr
// file: summary.txt some text
// no-stdout: TOTAL RESULTS
export const options = { iterations: 3 };
export function setup() { return 'data'; }
export default function () {}
export function handleSummary(data) {
  const list = ['metrics', 'options', 'root_group', 'setup_data', 'state'];
  if (list.some((name) => !(name in data)) || data.setup_data !== 'data') throw new Error('parts');
  return { stdout: 'three ' + data.metrics.iterations.values.count, stderr: 'to stderr', [__ENV.FOLDER + '/summary.txt']: 'some text' };
}

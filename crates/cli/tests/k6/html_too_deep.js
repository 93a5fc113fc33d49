// Elements within each other without end are refused at once, by the limit that k6 has.
// exit: 0
// holds: checks.fails == 0
// holds: checks.passes == 3
import { parseHTML } from 'k6/html';
import { check } from 'k6';
export default function () {
  const begun = Date.now();
  let said = '';
  try { parseHTML('<div>'.repeat(50000)); } catch (error) { said = String(error); }
  const ms = Date.now() - begun;
  check(said, {
    'it says so': () => said.includes('html: open stack of elements exceeds 512 nodes'),
    'at once': () => ms < 500,
    'what is less deep is read': () => parseHTML('<div>'.repeat(500)).find('div').size() === 500,
  });
}

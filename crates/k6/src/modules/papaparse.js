// In the place of jslib's papaparse: reading and writing of comma-separated values.
import { rows } from 'weir:rows';

const typed = (text) => (text === 'true' ? true : text === 'false' ? false : text === '' ? null : /^-?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : text);
export function parse(text, { delimiter, header = false, dynamicTyping = false, skipEmptyLines = false, transform, transformHeader, preview = 0 } = {}) {
  const first = text.split('\n', 1)[0];
  const guessed = delimiter || [',', '\t', '|', ';'].reduce((best, mark) => (first.split(mark).length > first.split(best).length ? mark : best), ',');
  let all = [...rows(text, guessed)];
  if (skipEmptyLines === 'greedy') all = all.filter((row) => row.join('').trim() !== '');
  let fields;
  if (header && all.length > 0) fields = all.shift().map((name, at) => (transformHeader ? transformHeader(name, at) : name));
  if (preview > 0) all = all.slice(0, preview);
  const value = (one, key) => { const changed = transform ? transform(one, key) : one; return dynamicTyping && typeof changed === 'string' ? typed(changed) : changed; };
  const data = all.map((row) => (fields ? Object.fromEntries(row.map((one, at) => [fields[at] ?? '__parsed_extra', value(one, fields[at])])) : row.map(value)));
  return { data, errors: [], meta: { delimiter: guessed, linebreak: '\n', aborted: false, truncated: false, cursor: text.length, fields } };
}
export function unparse(data, { delimiter = ',', newline = '\r\n', header = true } = {}) {
  const quoted = (one) => { const text = one === null || one === undefined ? '' : String(one); return text.includes(delimiter) || /["\r\n]|^ | $/.test(text) ? `"${text.replace(/"/g, '""')}"` : text; };
  const names = data.length > 0 && !Array.isArray(data[0]) ? Object.keys(data[0]) : undefined;
  const lines = data.map((row) => (names ? names.map((name) => row[name]) : row));
  return [...(names && header ? [names] : []), ...lines].map((row) => row.map(quoted).join(delimiter)).join(newline);
}
export default { parse, unparse };

// The module `k6/experimental/csv`.
import { SharedArray } from 'k6/data';
import { File } from 'k6/experimental/fs';
import { rows } from 'weir:rows';

function* records(file, { delimiter = ',', skipFirstLine = false, fromLine = 0, toLine = Infinity, asObjects = false } = {}) {
  if (!(file instanceof File)) throw new TypeError('a file of k6/experimental/fs is expected');
  if (typeof delimiter !== 'string' || delimiter.length !== 1) throw new TypeError('a delimiter is one letter');
  if (asObjects && skipFirstLine) throw new Error('asObjects takes names from the first line, so skipFirstLine can not be set too');
  let line = -1;
  let names;
  for (const row of rows(File.text(file), delimiter)) {
    line += 1;
    if (asObjects && line === 0) { names = row; continue; }
    if ((skipFirstLine && line === 0) || line < fromLine) continue;
    if (line > toLine) return;
    yield names ? Object.fromEntries(names.map((name, at) => [name, row[at]])) : row;
  }
}
export async function parse(file, options = {}) {
  return new SharedArray(`\u0000csv ${file?.path} ${JSON.stringify(options)}`, () => [...records(file, options)]);
}
export class Parser {
  #records;
  constructor(file, options) { this.#records = records(file, options); }
  async next() {
    const { done, value } = this.#records.next();
    return { done: Boolean(done), value: value ?? [] };
  }
}
export default { parse, Parser };

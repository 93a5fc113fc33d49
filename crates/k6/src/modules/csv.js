// The module `k6/experimental/csv`.
import { SharedArray } from 'k6/data';
import { File } from 'k6/experimental/fs';
import { rows } from 'weir:rows';

const failed = (what, why) => new Error(`failed to ${what}; reason: ${why}`);
function checked(file, options) {
  if (!(file instanceof File)) throw new Error(`first argument expected to be a fs.File instance, got ${typeof file} instead`);
  const { delimiter = ',', skipFirstLine = false, fromLine = 0, toLine = Infinity, asObjects = false } = options ?? {};
  if (typeof delimiter !== 'string' || [...delimiter].length !== 1) throw failed('interpret the provided Parser options', 'delimiter must be a single character');
  if (fromLine > toLine) throw failed('interpret the provided Parser options', 'fromLine must be less than or equal to toLine');
  if (fromLine < 0) throw failed('create a new parser', `the 'fromLine' option must be greater than or equal to 0; got ${fromLine}`);
  if (asObjects && skipFirstLine) throw failed('create a new parser', "the 'header' option cannot be enabled when 'skipFirstLine' is true");
  if (asObjects && fromLine > 0) throw failed('create a new parser', "the 'header' option cannot be enabled when 'fromLine' is set to a value greater than 0");
  return records(file, { delimiter, skipFirstLine, fromLine, toLine, asObjects });
}
function* records(file, { delimiter, skipFirstLine, fromLine, toLine, asObjects }) {
  let line = -1;
  let names;
  for (const row of rows(File.text(file), delimiter, true)) {
    line += 1;
    if (asObjects && line === 0) { names = row; continue; }
    if ((skipFirstLine && line === 0) || line < fromLine) continue;
    if (line > toLine) return;
    yield names ? Object.fromEntries(names.map((name, at) => [name, row[at]])) : row;
  }
}
export async function parse(file, options = {}) {
  checked(file, options);
  return new SharedArray(`\u0000csv ${file?.path} ${JSON.stringify(options)}`, () => [...checked(file, options)]);
}
export class Parser {
  #records;
  constructor(file, options) { this.#records = checked(file, options); }
  async next() {
    const { done, value } = this.#records.next();
    return { done: Boolean(done), value: value ?? [] };
  }
}
export default { parse, Parser };

// writes: quote.csv a"b,c
// exit: 0
// stderr: failed to read record; reason: parse error on line 1, column 2: bare \" in non-quoted-field
// stderr: the 'header' option cannot be enabled when 'skipFirstLine' is true
// stderr: illegal base64 data at input byte 3
// stderr: sha256 failed: invalid type
// no-stderr: no error
// What can't be read says so in k6's words.
import { sha256 } from 'k6/crypto';
import { b64decode } from 'k6/encoding';
import { Parser } from 'k6/experimental/csv';
import { open as openFile } from 'k6/experimental/fs';

const file = await openFile(`${__ENV.FOLDER}/quote.csv`);
const parser = new Parser(file);
const both = (() => { try { return new Parser(file, { asObjects: true, skipFirstLine: true }); } catch (error) { return error.message; } })();
export default async function () {
  console.log(both);
  try { for (;;) if ((await parser.next()).done) break; console.log('no error'); } catch (error) { console.log(error.message); }
  try { b64decode('Pz5-'); console.log('no error'); } catch (error) { console.log(error.message); }
  try { sha256({}, 'hex'); console.log('no error'); } catch (error) { console.log(error.message); }
}

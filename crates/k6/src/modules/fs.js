// The module `k6/experimental/fs`.
import * as native from 'weir:files';

export const SeekMode = Object.freeze({ Start: 0, Current: 1, End: 2 });
export class File {
  #read;
  #at = 0;
  constructor(path) {
    this.#read = native.open(path);
    this.path = path;
  }
  async stat() { return { name: this.path.split('/').at(-1), size: this.#read() }; }
  async read(into) {
    if (!(into instanceof Uint8Array)) throw new TypeError('the argument of read() is expected to be a Uint8Array');
    const bytes = new Uint8Array(this.#read(this.#at, into.length));
    if (bytes.length === 0 && into.length > 0) return null;
    into.set(bytes);
    this.#at += bytes.length;
    return bytes.length;
  }
  async seek(offset, mode = SeekMode.Start) {
    const from = { [SeekMode.Start]: 0, [SeekMode.Current]: this.#at, [SeekMode.End]: this.#read() }[mode];
    if (from === undefined || !Number.isInteger(offset)) throw new TypeError('seek() takes a whole number of bytes and a SeekMode');
    if (from + offset < 0 || from + offset > this.#read()) throw new RangeError('seek() beyond the file');
    this.#at = from + offset;
    return this.#at;
  }
  // The whole text, for what reads files as texts.
  static text(file) { return native.text(file.#read(0, file.#read())); }
}
export const open = async (path) => new File(String(path));
export default { open, SeekMode };

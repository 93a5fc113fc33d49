// The globals `TextEncoder`, `TextDecoder`, `btoa`, `atob`, `structuredClone`: made when a script first asks for one.
(native) => {
  class TextEncoder {
    get encoding() { return 'utf-8'; }
    encode(text = '') { return new Uint8Array(native.utf8(String(text).toWellFormed())); }
    encodeInto(text, into) {
      let read = 0;
      let written = 0;
      for (const letter of String(text).toWellFormed()) {
        const bytes = this.encode(letter);
        if (written + bytes.length > into.length) break;
        into.set(bytes, written);
        read += letter.length;
        written += bytes.length;
      }
      return { read, written };
    }
  }
  const labels = { 'utf-8': 'utf-8', utf8: 'utf-8', 'utf-16': 'utf-16le', 'utf-16le': 'utf-16le', 'utf-16be': 'utf-16be' };
  class TextDecoder {
    #rest = new Uint8Array(0);
    constructor(label = 'utf-8', options = {}) {
      this.encoding = labels[String(label).trim().toLowerCase()];
      if (!this.encoding) throw new RangeError(`unsupported encoding: ${label}`);
      this.fatal = Boolean(options.fatal);
      this.ignoreBOM = Boolean(options.ignoreBOM);
    }
    decode(input = new Uint8Array(0), options = {}) {
      const given = input instanceof ArrayBuffer ? new Uint8Array(input) : new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
      const all = new Uint8Array(this.#rest.length + given.length);
      all.set(this.#rest);
      all.set(given, this.#rest.length);
      const whole = options.stream ? all.length - this.#unfinished(all) : all.length;
      this.#rest = all.slice(whole);
      const text = native.decode(all.slice(0, whole).buffer, this.encoding, this.fatal);
      return !this.ignoreBOM && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
    }
    // Bytes at the end that begin a letter and do not end it.
    #unfinished(bytes) {
      if (this.encoding !== 'utf-8') return bytes.length % 2;
      for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
        const byte = bytes[bytes.length - back];
        if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
        if (byte < 0x80) return 0;
      }
      return 0;
    }
  }
  const btoa = (text) => {
    const letters = Array.from(String(text), (letter) => letter.codePointAt(0));
    if (letters.some((letter) => letter > 255)) throw Object.assign(new Error('a letter beyond Latin-1 has no byte'), { name: 'InvalidCharacterError' });
    return native.encodeBase64Padded(Uint8Array.from(letters).buffer);
  };
  const atob = (text) => {
    const bytes = new Uint8Array(native.decodeBase64(String(text).replace(/[\t\n\f\r ]/g, '')));
    let letters = '';
    for (const byte of bytes) letters += String.fromCharCode(byte);
    return letters;
  };
  const structuredClone = (value) => {
    const seen = new Map();
    const copy = (one) => {
      if (typeof one === 'function' || typeof one === 'symbol') throw Object.assign(new Error(`${String(one)} could not be cloned`), { name: 'DataCloneError' });
      if (one === null || typeof one !== 'object') return one;
      if (seen.has(one)) return seen.get(one);
      const keep = (made) => { seen.set(one, made); return made; };
      if (one instanceof Date) return keep(new Date(one.getTime()));
      if (one instanceof RegExp) return keep(new RegExp(one.source, one.flags));
      if (one instanceof ArrayBuffer) return keep(one.slice(0));
      if (ArrayBuffer.isView(one)) return keep(new one.constructor(copy(one.buffer), one.byteOffset, one.length ?? one.byteLength));
      if (one instanceof Map) { const made = keep(new Map()); one.forEach((v, k) => made.set(copy(k), copy(v))); return made; }
      if (one instanceof Set) { const made = keep(new Set()); one.forEach((v) => made.add(copy(v))); return made; }
      if (one instanceof Error) return keep(Object.assign(new one.constructor(one.message), { stack: one.stack }));
      const made = keep(Array.isArray(one) ? new Array(one.length) : {});
      for (const key of Object.keys(one)) made[key] = copy(one[key]);
      return made;
    };
    return copy(value);
  };
  return { TextEncoder, TextDecoder, btoa, atob, structuredClone };
}

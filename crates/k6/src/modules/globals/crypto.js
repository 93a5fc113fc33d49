// The global `crypto`: made when a script first asks for it, and its `subtle` when that is asked for.
(native) => {
  const failure = (name, message) => Object.assign(new Error(message), { name });
  return {
    crypto: {
      get subtle() {
        const subtle = native.subtle();
        Object.defineProperty(this, 'subtle', { value: subtle, enumerable: true });
        return subtle;
      },
      getRandomValues(view) {
        const isInteger = ArrayBuffer.isView(view) && !(view instanceof DataView) && !/Float/.test(view.constructor.name);
        if (!isInteger) throw failure('TypeMismatchError', 'a typed array of integers is expected');
        if (view.byteLength > 65536) throw failure('QuotaExceededError', `${view.byteLength} bytes are more than 65536`);
        new Uint8Array(view.buffer, view.byteOffset, view.byteLength).set(new Uint8Array(native.randomBytes(view.byteLength)));
        return view;
      },
      randomUUID() {
        const bytes = new Uint8Array(native.randomBytes(16));
        bytes[6] = (bytes[6] & 15) | 64;
        bytes[8] = (bytes[8] & 63) | 128;
        const hex = native.hex(bytes.buffer);
        return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
      },
    },
  };
}

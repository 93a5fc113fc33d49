// The global `crypto`: made when a script first asks for it.
(native) => {
  const bytesOf = (data) => {
    if (data instanceof ArrayBuffer) return data.slice(0);
    if (ArrayBuffer.isView(data)) return data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
    throw new TypeError('an ArrayBuffer, a typed array or a DataView is expected');
  };
  const failure = (name, message) => Object.assign(new Error(message), { name });
  const nameOf = (algorithm) => String(typeof algorithm === 'object' && algorithm ? algorithm.name : algorithm).toUpperCase();
  const digests = { 'SHA-1': ['sha1', 64], 'SHA-256': ['sha256', 64], 'SHA-384': ['sha384', 128], 'SHA-512': ['sha512', 128] };
  const digestOf = (algorithm) => {
    const name = nameOf(algorithm);
    if (!digests[name]) throw failure('NotSupportedError', `unsupported digest: ${name}`);
    return { name, id: digests[name][0], blockBytes: digests[name][1] };
  };
  const onlyHmac = (algorithm) => {
    const name = nameOf(algorithm);
    if (name !== 'HMAC') throw failure('NotSupportedError', `${name} is not there yet; crypto.subtle has digest and HMAC`);
  };
  const absent = (operation) => async (algorithm) => {
    throw failure('NotSupportedError', `${operation} with ${nameOf(algorithm)} is not there yet; crypto.subtle has digest and HMAC`);
  };
  const secret = Symbol('key');
  class CryptoKey {
    constructor(bytes, hash, extractable, usages) {
      Object.defineProperty(this, secret, { value: bytes });
      this.type = 'secret';
      this.extractable = Boolean(extractable);
      this.algorithm = { name: 'HMAC', hash: { name: hash.name }, length: bytes.byteLength * 8 };
      this.usages = [...usages];
      Object.freeze(this);
    }
  }
  const checkUsages = (usages) => {
    if (!Array.isArray(usages) || usages.length === 0) throw new SyntaxError('a key needs usages');
    const wrong = usages.find((usage) => usage !== 'sign' && usage !== 'verify');
    if (wrong !== undefined) throw new SyntaxError(`a key of HMAC is no use to ${wrong}`);
  };
  const withKey = (key, usage) => {
    if (!(key instanceof CryptoKey)) throw failure('InvalidAccessError', 'a CryptoKey is expected');
    if (!key.usages.includes(usage)) throw failure('InvalidAccessError', `the key is not for ${usage}`);
    return key[secret];
  };
  const base64url = (bytes) => native.encodeBase64(bytes);
  const subtle = {
    async digest(algorithm, data) { return native.digest(digestOf(algorithm).id, bytesOf(data)); },
    async generateKey(algorithm, extractable, usages) {
      onlyHmac(algorithm);
      checkUsages(usages);
      const hash = digestOf(algorithm.hash);
      const bits = algorithm.length ?? hash.blockBytes * 8;
      if (!(bits > 0) || bits % 8 !== 0) throw failure('OperationError', 'a length in bits that makes whole bytes is expected');
      return new CryptoKey(native.randomBytes(bits / 8), hash, extractable, usages);
    },
    async importKey(format, data, algorithm, extractable, usages) {
      onlyHmac(algorithm);
      checkUsages(usages);
      const hash = digestOf(algorithm.hash);
      let bytes;
      if (format === 'raw') bytes = bytesOf(data);
      else if (format === 'jwk') {
        if (data?.kty !== 'oct' || typeof data.k !== 'string') throw failure('DataError', 'a JWK of HMAC has kty oct and k');
        bytes = native.decodeBase64(data.k);
      } else throw failure('NotSupportedError', `keys of HMAC are raw or jwk, not ${format}`);
      if (bytes.byteLength === 0) throw failure('DataError', 'the key is empty');
      return new CryptoKey(bytes, hash, extractable, usages);
    },
    async exportKey(format, key) {
      if (!(key instanceof CryptoKey)) throw failure('InvalidAccessError', 'a CryptoKey is expected');
      if (!key.extractable) throw failure('InvalidAccessError', 'the key is not extractable');
      if (format === 'raw') return key[secret].slice(0);
      if (format === 'jwk') {
        const alg = `HS${key.algorithm.hash.name.slice(4)}`;
        return { kty: 'oct', k: base64url(key[secret]), alg, ext: true, key_ops: [...key.usages] };
      }
      throw failure('NotSupportedError', `keys of HMAC are raw or jwk, not ${format}`);
    },
    async sign(algorithm, key, data) {
      onlyHmac(algorithm);
      return native.hmac(digestOf(key?.algorithm?.hash).id, withKey(key, 'sign'), bytesOf(data));
    },
    async verify(algorithm, key, signature, data) {
      onlyHmac(algorithm);
      const made = new Uint8Array(native.hmac(digestOf(key?.algorithm?.hash).id, withKey(key, 'verify'), bytesOf(data)));
      const given = new Uint8Array(bytesOf(signature));
      return made.length === given.length && made.every((byte, at) => byte === given[at]);
    },
    encrypt: absent('encrypt'), decrypt: absent('decrypt'), deriveKey: absent('deriveKey'), deriveBits: absent('deriveBits'),
  };
  const crypto = {
    subtle,
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
  };
  return { crypto, CryptoKey };
}

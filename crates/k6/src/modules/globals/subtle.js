// `crypto.subtle`, after the W3C's Web Cryptography API: made when a script first asks for it. What is computed is native; names, usages and errors are here.
(native) => {
  const failure = (name, message) => Object.assign(new Error(message), { name });
  const { later } = native;
  const bytesOf = (data, what = 'the data') => {
    if (data instanceof ArrayBuffer) return data.slice(0);
    if (ArrayBuffer.isView(data)) return data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
    throw new TypeError(`${what} must be an ArrayBuffer, a typed array or a DataView`);
  };
  const optional = (data, what) => (data === undefined || data === null ? new ArrayBuffer(0) : bytesOf(data, what));
  const bitsOf = (bytes) => bytes.byteLength * 8;
  const orFail = (made, message, name = 'OperationError') => {
    if (made === null || made === undefined) throw failure(name, message);
    return made;
  };
  // What a thread of its own makes is asked for now and then, so that other users go on meanwhile.
  const waited = async (ask) => {
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 20)) {
      const made = ask();
      if (typeof made === 'string') throw failure('OperationError', made);
      if (made !== null) return made;
      await new Promise((resolve) => later(resolve, pauseMs));
    }
  };

  const digests = { 'SHA-1': 'sha1', 'SHA-256': 'sha256', 'SHA-384': 'sha384', 'SHA-512': 'sha512' };
  const nameOf = (algorithm, known) => {
    const given = typeof algorithm === 'string' ? algorithm : algorithm?.name;
    if (typeof given !== 'string') throw new TypeError('an algorithm is a name, or an object with one');
    const name = known.find((one) => one.toUpperCase() === given.toUpperCase());
    return orFail(name, `unsupported algorithm: ${given}`, 'NotSupportedError');
  };
  const hashOf = (algorithm) => nameOf(orFail(algorithm, 'a hash is needed', 'TypeError'), Object.keys(digests));
  const idOf = (hash) => digests[hashOf(hash)];
  const blockBytes = (hash) => (hash === 'SHA-384' || hash === 'SHA-512' ? 128 : 64);

  let dataOf;
  let isKey;
  class CryptoKey {
    #data;
    constructor(type, algorithm, extractable, usages, data) {
      if (!(data instanceof ArrayBuffer)) throw new TypeError('Illegal constructor');
      this.#data = data;
      this.type = type;
      this.extractable = extractable;
      this.algorithm = Object.freeze(algorithm);
      this.usages = Object.freeze([...usages]);
      Object.freeze(this);
    }
    get [Symbol.toStringTag]() { return 'CryptoKey'; }
    static {
      dataOf = (key) => key.#data;
      isKey = (key) => typeof key === 'object' && key !== null && #data in key;
    }
  }
  const allUsages = ['encrypt', 'decrypt', 'sign', 'verify', 'deriveKey', 'deriveBits', 'wrapKey', 'unwrapKey'];
  const usagesOf = (given, allowed, what) => {
    if (!Array.isArray(given)) throw new TypeError('usages are an array of names');
    const unknown = given.find((usage) => !allUsages.includes(usage));
    if (unknown !== undefined) throw new TypeError(`there is no usage ${String(unknown)}`);
    const wrong = given.find((usage) => !allowed.includes(usage));
    if (wrong !== undefined) throw failure('SyntaxError', `${what} is no use to ${wrong}`);
    return allUsages.filter((usage) => given.includes(usage));
  };
  const needed = (usages, what) => {
    if (usages.length === 0) throw failure('SyntaxError', `${what} needs usages`);
    return usages;
  };
  const checked = (key, name, usage, type) => {
    if (!isKey(key)) throw failure('InvalidAccessError', 'a CryptoKey is expected');
    if (name && key.algorithm.name !== name) throw failure('InvalidAccessError', `the key is of ${key.algorithm.name}, not ${name}`);
    if (type && key.type !== type) throw failure('InvalidAccessError', `a ${type} key is needed, and this one is ${key.type}`);
    if (usage && !key.usages.includes(usage)) throw failure('InvalidAccessError', `the key's usages don't have ${usage}`);
    return dataOf(key);
  };

  const base64url = (bytes) => native.encodeBase64(bytes);
  const ofBase64url = (text, name) => {
    if (typeof text !== 'string') throw failure('DataError', `the JWK has no ${name}`);
    if (!/^[A-Za-z0-9_-]*$/.test(text)) throw failure('DataError', `${name} of the JWK is not base64url`);
    return native.decodeBase64(text);
  };
  // RFC 7517 section 4, and what section 14.3.9 of the API says of it.
  const checkJwk = (jwk, kty, alg, extractable, usages, use) => {
    if (typeof jwk !== 'object' || jwk === null) throw failure('DataError', 'a JWK is an object');
    if (jwk.kty !== kty) throw failure('DataError', `kty of the JWK must be ${kty}`);
    if (alg !== undefined && jwk.alg !== undefined && jwk.alg !== alg) throw failure('DataError', `alg of the JWK is ${jwk.alg}, which should be ${alg}`);
    if (usages.length > 0 && jwk.use !== undefined && jwk.use !== use) throw failure('DataError', `use of the JWK is ${jwk.use}, which should be ${use}`);
    if (jwk.key_ops !== undefined && !usages.every((usage) => jwk.key_ops.includes(usage))) throw failure('DataError', 'key_ops of the JWK lack a usage');
    if (jwk.ext === false && extractable) throw failure('DataError', 'the JWK says that it is not extractable');
  };
  const noFormat = (format, name) => failure('NotSupportedError', `keys of ${name} have no form ${format}`);

  // Secret keys: AES, HMAC.
  const secret = {
    alg: ({ name, length, hash }) => (name === 'HMAC' ? `HS${hash.name.slice(4)}` : `A${length}${name.slice(4)}`),
    use: (name) => (name === 'HMAC' ? 'sig' : 'enc'),
    import(name, format, data, algorithm, extractable, given) {
      const usages = needed(usagesOf(given, kinds[name].usages, `a key of ${name}`), `a key of ${name}`);
      if (format !== 'raw' && format !== 'jwk') throw noFormat(format, name);
      const bytes = format === 'raw' ? bytesOf(data) : ofBase64url(data?.k, 'k');
      const its = { name };
      if (name === 'HMAC') {
        its.hash = { name: hashOf(algorithm?.hash) };
        if (bytes.byteLength === 0) throw failure('DataError', 'the key is empty');
        its.length = bitsOf(bytes);
        if (algorithm.length !== undefined && algorithm.length !== its.length) throw failure('DataError', `the key has ${its.length} bits, not ${algorithm.length}`);
      } else {
        its.length = bitsOf(bytes);
        if (![128, 192, 256].includes(its.length)) throw failure('DataError', `a key of AES has 128, 192 or 256 bits, and this one ${its.length}`);
      }
      if (format === 'jwk') checkJwk(data, 'oct', secret.alg(its), extractable, usages, secret.use(name));
      return new CryptoKey('secret', its, extractable, usages, bytes);
    },
    export(format, key) {
      if (format === 'raw') return dataOf(key).slice(0);
      if (format !== 'jwk') throw noFormat(format, key.algorithm.name);
      return { kty: 'oct', k: base64url(dataOf(key)), alg: secret.alg(key.algorithm), ext: key.extractable, key_ops: [...key.usages] };
    },
    length(name, algorithm) {
      if (name === 'HMAC') {
        const bits = Number(algorithm.length ?? blockBytes(hashOf(algorithm.hash)) * 8);
        if (!(Number.isInteger(bits) && bits > 0 && bits % 8 === 0)) throw failure('OperationError', 'a length in bits that makes whole bytes is expected');
        return bits;
      }
      const bits = Number(algorithm.length);
      if (![128, 192, 256].includes(bits)) throw failure('OperationError', `a key of AES has 128, 192 or 256 bits, not ${algorithm.length}`);
      return bits;
    },
    generate(name, algorithm, extractable, given) {
      const usages = needed(usagesOf(given, kinds[name].usages, `a key of ${name}`), `a key of ${name}`);
      const length = secret.length(name, algorithm);
      const its = name === 'HMAC' ? { name, hash: { name: hashOf(algorithm.hash) }, length } : { name, length };
      return new CryptoKey('secret', its, extractable, usages, native.randomBytes(length / 8));
    },
  };

  // Keys of one half each: usages of the private and of the public one.
  const pair = (name, its, extractable, usages, privateData, publicData) => {
    const { ofPrivate, ofPublic } = kinds[name];
    needed(usages.filter((usage) => ofPrivate.includes(usage)), 'a private key');
    return {
      privateKey: new CryptoKey('private', its, extractable, usages.filter((usage) => ofPrivate.includes(usage)), privateData),
      publicKey: new CryptoKey('public', { ...its }, true, usages.filter((usage) => ofPublic.includes(usage)), publicData),
    };
  };
  const half = (name, its, isPrivate, extractable, given, data) => {
    const { ofPrivate, ofPublic } = kinds[name];
    const usages = usagesOf(given, isPrivate ? ofPrivate : ofPublic, `a ${isPrivate ? 'private' : 'public'} key of ${name}`);
    if (isPrivate) needed(usages, 'a private key');
    return new CryptoKey(isPrivate ? 'private' : 'public', its, extractable, usages, data);
  };
  const curves = { 'P-256': 32, 'P-384': 48, 'P-521': 66 };
  const curveOf = (algorithm) => {
    const curve = algorithm?.namedCurve;
    if (typeof curve !== 'string') throw new TypeError('namedCurve is needed');
    return nameOf(curve, Object.keys(curves));
  };
  const elliptic = {
    import(name, format, data, algorithm, extractable, usages) {
      // A JWK's own curve counts, as in k6.
      const namedCurve = curveOf(format === 'jwk' && data?.crv !== undefined ? { namedCurve: data.crv } : algorithm);
      const its = { name, namedCurve };
      const make = (isPrivate, bytes) => half(name, its, isPrivate, extractable, usages, orFail(bytes, `this is no key of ${namedCurve}`, 'DataError'));
      if (format === 'raw') return make(false, native.ecPoint(namedCurve, bytesOf(data)));
      if (format === 'spki' || format === 'pkcs8') {
        const [curve, bytes] = (format === 'spki' ? native.ofSpki(bytesOf(data)) : native.ofPkcs8(bytesOf(data))) ?? [];
        return make(format === 'pkcs8', curve === namedCurve ? bytes : null);
      }
      if (format !== 'jwk') throw noFormat(format, name);
      checkJwk(data, 'EC', undefined, extractable, usages, name === 'ECDSA' ? 'sig' : 'enc');
      const [x, y] = [ofBase64url(data.x, 'x'), ofBase64url(data.y, 'y')];
      const point = new Uint8Array(1 + 2 * curves[namedCurve]);
      if (x.byteLength !== curves[namedCurve] || y.byteLength !== x.byteLength) return make(false, null);
      point[0] = 4;
      point.set(new Uint8Array(x), 1);
      point.set(new Uint8Array(y), 1 + x.byteLength);
      const known = native.ecPoint(namedCurve, point);
      if (data.d === undefined) return make(false, known);
      const d = ofBase64url(data.d, 'd');
      const itsPublic = native.ecPublic(namedCurve, d);
      return make(true, known && itsPublic && native.isSame(known, itsPublic) ? d : null);
    },
    export(format, key) {
      const { name, namedCurve } = key.algorithm;
      const [isPrivate, bytes] = [key.type === 'private', dataOf(key)];
      if (format === 'jwk') {
        const point = isPrivate ? native.ecPublic(namedCurve, bytes) : bytes;
        const jwk = { kty: 'EC', crv: namedCurve, x: base64url(point.slice(1, 1 + curves[namedCurve])), y: base64url(point.slice(1 + curves[namedCurve])) };
        return { ...jwk, ...(isPrivate ? { d: base64url(bytes) } : {}), ext: key.extractable, key_ops: [...key.usages] };
      }
      if (!['raw', 'spki', 'pkcs8'].includes(format)) throw noFormat(format, name);
      if ((format === 'pkcs8') !== isPrivate) throw failure('InvalidAccessError', `a ${key.type} key has no form ${format}`);
      if (format === 'raw') return bytes.slice(0);
      return isPrivate ? native.toPkcs8(namedCurve, bytes) : native.toSpki(namedCurve, bytes);
    },
    generate(name, algorithm, extractable, given) {
      const namedCurve = curveOf(algorithm);
      const usages = usagesOf(given, [...kinds[name].ofPrivate, ...kinds[name].ofPublic], `a key of ${name}`);
      needed(usages, 'a key');
      const scalar = orFail(native.ecGenerate(namedCurve), 'there are no random bytes');
      return pair(name, { name, namedCurve }, extractable, usages, scalar, native.ecPublic(namedCurve, scalar));
    },
  };
  const rsa = {
    alg: ({ name, hash }) => {
      const size = hash.name.slice(4);
      if (name === 'RSA-OAEP') return size === '1' ? 'RSA-OAEP' : `RSA-OAEP-${size}`;
      return `${name === 'RSA-PSS' ? 'PS' : 'RS'}${size}`;
    },
    its(name, hash, publicData) {
      const [modulus, exponent] = native.rsaParts(publicData, false);
      const first = new Uint8Array(modulus)[0];
      const modulusLength = modulus.byteLength * 8 - Math.clz32(first) + 24;
      return { name, modulusLength, publicExponent: new Uint8Array(exponent), hash: { name: hash } };
    },
    import(name, format, data, algorithm, extractable, usages) {
      const hash = hashOf(algorithm?.hash);
      const make = (isPrivate, bytes) => {
        orFail(bytes, 'this is no key of RSA, or one of less than 512 or more than 8192 bits', 'DataError');
        return half(name, rsa.its(name, hash, isPrivate ? native.rsaPublic(bytes) : bytes), isPrivate, extractable, usages, bytes);
      };
      if (format === 'spki' || format === 'pkcs8') {
        const [kind, bytes] = (format === 'spki' ? native.ofSpki(bytesOf(data)) : native.ofPkcs8(bytesOf(data))) ?? [];
        return make(format === 'pkcs8', kind === 'RSA' ? bytes : null);
      }
      if (format !== 'jwk') throw noFormat(format, name);
      checkJwk(data, 'RSA', rsa.alg({ name, hash: { name: hash } }), extractable, usages, name === 'RSA-OAEP' ? 'enc' : 'sig');
      if (data.oth !== undefined) throw failure('NotSupportedError', 'keys of more than two primes are not there');
      const parts = (data.d === undefined ? ['n', 'e'] : ['n', 'e', 'd', 'p', 'q']).map((part) => ofBase64url(data[part], part));
      return make(data.d !== undefined, native.rsaOf(parts));
    },
    export(format, key) {
      const [isPrivate, bytes] = [key.type === 'private', dataOf(key)];
      if (format === 'jwk') {
        const names = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'];
        const parts = native.rsaParts(bytes, isPrivate).map((part, at) => [names[at], base64url(part)]);
        return { kty: 'RSA', alg: rsa.alg(key.algorithm), ...Object.fromEntries(parts), ext: key.extractable, key_ops: [...key.usages] };
      }
      if (!['spki', 'pkcs8'].includes(format)) throw noFormat(format, key.algorithm.name);
      if ((format === 'pkcs8') !== isPrivate) throw failure('InvalidAccessError', `a ${key.type} key has no form ${format}`);
      return isPrivate ? native.toPkcs8('RSA', bytes) : native.toSpki('RSA', bytes);
    },
    async generate(name, algorithm, extractable, given) {
      const { modulusLength, publicExponent } = algorithm;
      const hash = hashOf(algorithm.hash);
      const usages = usagesOf(given, [...kinds[name].ofPrivate, ...kinds[name].ofPublic], `a key of ${name}`);
      needed(usages, 'a key');
      if (!(publicExponent instanceof Uint8Array)) throw new TypeError('publicExponent is a Uint8Array');
      const exponent = publicExponent.reduce((sum, byte) => sum * 256 + byte, 0);
      const made = await waited(native.rsaGenerate(Number(modulusLength) || 0, Math.min(exponent, 2 ** 40)));
      const publicData = native.rsaPublic(made);
      return pair(name, rsa.its(name, hash, publicData), extractable, usages, made, publicData);
    },
  };
  // What keys are derived of: a password, or another key.
  const source = {
    import(name, format, data, algorithm, extractable, given) {
      if (format !== 'raw') throw noFormat(format, name);
      const usages = needed(usagesOf(given, kinds[name].usages, `a key of ${name}`), `a key of ${name}`);
      if (extractable) throw failure('SyntaxError', `a key of ${name} is not extractable`);
      return new CryptoKey('secret', { name }, false, usages, bytesOf(data));
    },
    export(format, key) { throw noFormat(format, key.algorithm.name); },
    generate(name) { throw failure('NotSupportedError', `keys of ${name} are not made`); },
  };
  const ciphering = { family: secret, usages: ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'] };
  const signing = { ofPrivate: ['sign'], ofPublic: ['verify'] };
  const deriving = { family: source, usages: ['deriveKey', 'deriveBits'] };
  const kinds = {
    'AES-CBC': ciphering, 'AES-CTR': ciphering, 'AES-GCM': ciphering,
    'AES-KW': { family: secret, usages: ['wrapKey', 'unwrapKey'] },
    HMAC: { family: secret, usages: ['sign', 'verify'] },
    ECDSA: { family: elliptic, ...signing },
    ECDH: { family: elliptic, ofPrivate: ['deriveKey', 'deriveBits'], ofPublic: [] },
    'RSASSA-PKCS1-v1_5': { family: rsa, ...signing },
    'RSA-PSS': { family: rsa, ...signing },
    'RSA-OAEP': { family: rsa, ofPrivate: ['decrypt', 'unwrapKey'], ofPublic: ['encrypt', 'wrapKey'] },
    PBKDF2: deriving, HKDF: deriving,
  };
  const kindOf = (algorithm) => nameOf(algorithm, Object.keys(kinds));

  const block = (data, what) => {
    const bytes = bytesOf(data, what);
    if (bytes.byteLength !== 16) throw failure('OperationError', `${what} has 16 bytes, not ${bytes.byteLength}`);
    return bytes;
  };
  // One way and the other; `usage` is what the key must be for.
  const ciphered = (isEncrypted, algorithm, key, data, usage) => {
    const name = kindOf(algorithm);
    const failed = isEncrypted ? 'this can not be decrypted: the key is another, or the data was changed' : 'this can not be encrypted';
    if (name === 'AES-CBC') {
      const bytes = checked(key, name, usage);
      return orFail(native.cbc(isEncrypted, bytes, block(algorithm.iv, 'iv'), bytesOf(data)), failed);
    }
    if (name === 'AES-CTR') {
      const bytes = checked(key, name, usage);
      const [counter, bits] = [block(algorithm.counter, 'counter'), algorithm.length];
      if (!(Number.isInteger(bits) && bits >= 1 && bits <= 128)) throw failure('OperationError', 'length is the number of bits that count, 1 to 128');
      const plain = bytesOf(data);
      if (bits < 53 && plain.byteLength > 16 * 2 ** bits) throw failure('OperationError', `a counter of ${bits} bits does not do for ${plain.byteLength} bytes`);
      return native.ctr(bytes, counter, bits, plain);
    }
    if (name === 'AES-GCM') {
      const bytes = checked(key, name, usage);
      const bits = algorithm.tagLength ?? 128;
      if (![32, 64, 96, 104, 112, 120, 128].includes(bits)) throw failure('OperationError', `${bits} is no length of a tag`);
      const iv = bytesOf(algorithm.iv, 'iv');
      if (iv.byteLength === 0) throw failure('OperationError', 'iv is empty');
      const more = optional(algorithm.additionalData, 'additionalData');
      return orFail(native.gcm(bytes, iv, bytesOf(data), more, isEncrypted ? -bits / 8 : bits / 8), failed);
    }
    if (name === 'RSA-OAEP') {
      const bytes = checked(key, name, usage, isEncrypted ? 'private' : 'public');
      const [hash, label] = [idOf(key.algorithm.hash), optional(algorithm.label, 'label')];
      const made = isEncrypted ? native.rsaDecrypt(hash, bytes, label, bytesOf(data)) : native.rsaEncrypt(hash, bytes, label, bytesOf(data));
      return orFail(made, isEncrypted ? failed : 'the data is too long for the key');
    }
    throw failure('NotSupportedError', `${name} does not encrypt`);
  };

  const truncated = (bytes, bits) => {
    if (bits === null || bits === undefined) return bytes;
    if (bits > bitsOf(bytes)) throw failure('OperationError', `there are ${bitsOf(bytes)} bits, and ${bits} are asked for`);
    const kept = new Uint8Array(bytes.slice(0, Math.ceil(bits / 8)));
    if (bits % 8 !== 0) kept[kept.length - 1] &= 0xff << (8 - (bits % 8));
    return kept.buffer;
  };
  const derived = async (algorithm, key, bits, usage) => {
    const name = kindOf(algorithm);
    if (name === 'ECDH') {
      const bytes = checked(key, name, usage, 'private');
      const other = algorithm.public;
      const point = checked(other, name, undefined, 'public');
      if (other.algorithm.namedCurve !== key.algorithm.namedCurve) throw failure('InvalidAccessError', 'the keys are of two curves');
      return truncated(orFail(native.ecCommon(key.algorithm.namedCurve, bytes, point), 'the keys have nothing in common'), bits);
    }
    if (name !== 'PBKDF2' && name !== 'HKDF') throw failure('NotSupportedError', `nothing is derived by ${name}`);
    const bytes = checked(key, name, usage);
    const [hash, salt] = [idOf(algorithm.hash), bytesOf(algorithm.salt, 'salt')];
    if (!(Number.isInteger(bits) && bits > 0 && bits % 8 === 0)) throw failure('OperationError', 'a length in bits that makes whole bytes is expected');
    if (name === 'HKDF') return orFail(native.hkdf(hash, bytes, salt, optional(algorithm.info, 'info'), bits / 8), `${bits} bits are more than HKDF gives`);
    const rounds = Number(algorithm.iterations);
    if (!(rounds > 0 && rounds < 2 ** 32)) throw failure('OperationError', 'the number of iterations must be above 0');
    return waited(native.pbkdf2(hash, bytes, salt, Math.trunc(rounds), bits / 8));
  };

  const digested = (hash, data) => native.digest(idOf(hash), bytesOf(data));
  const saltOf = ({ saltLength }) => {
    if (!(Number.isInteger(saltLength) && saltLength >= 0)) throw new TypeError('saltLength is a number of bytes');
    return saltLength;
  };
  const signed = (algorithm, key, data) => {
    const name = kindOf(algorithm);
    const bytes = checked(key, name, 'sign', name === 'HMAC' ? 'secret' : 'private');
    if (name === 'HMAC') return native.hmac(idOf(key.algorithm.hash), bytes, bytesOf(data));
    if (name === 'ECDSA') return orFail(native.ecSign(key.algorithm.namedCurve, bytes, digested(algorithm.hash, data)), 'this can not be signed');
    const salt = name === 'RSA-PSS' ? saltOf(algorithm) : undefined;
    const { hash } = key.algorithm;
    return orFail(native.rsaSign(idOf(hash), bytes, digested(hash, data), salt), 'the key is too small for this');
  };
  const isSigned = (algorithm, key, signature, data) => {
    const name = kindOf(algorithm);
    const bytes = checked(key, name, 'verify', name === 'HMAC' ? 'secret' : 'public');
    const given = bytesOf(signature, 'the signature');
    if (name === 'HMAC') return native.isSame(native.hmac(idOf(key.algorithm.hash), bytes, bytesOf(data)), given);
    if (name === 'ECDSA') return native.ecVerify(key.algorithm.namedCurve, bytes, digested(algorithm.hash, data), given);
    const salt = name === 'RSA-PSS' ? saltOf(algorithm) : undefined;
    const { hash } = key.algorithm;
    return native.rsaVerify(idOf(hash), bytes, digested(hash, data), given, salt);
  };
  const imported = (format, data, algorithm, extractable, usages) => {
    const name = kindOf(algorithm);
    if (!['raw', 'spki', 'pkcs8', 'jwk'].includes(format)) throw failure('NotSupportedError', `there is no form of keys ${String(format)}`);
    return kinds[name].family.import(name, format, data, typeof algorithm === 'string' ? { name } : algorithm, Boolean(extractable), usages);
  };
  const exported = (format, key) => {
    checked(key);
    const { family } = kinds[key.algorithm.name];
    if (!key.extractable) throw failure('InvalidAccessError', 'the key is not extractable');
    return family.export(format, key);
  };
  // Signing, verifying and wrapping come first in the API's own order of checks.
  const subtle = {
    async digest(algorithm, data) { return digested(nameOf(algorithm, Object.keys(digests)), data); },
    async encrypt(algorithm, key, data) { return ciphered(false, algorithm, key, data, 'encrypt'); },
    async decrypt(algorithm, key, data) { return ciphered(true, algorithm, key, data, 'decrypt'); },
    async sign(algorithm, key, data) { return signed(algorithm, key, data); },
    async verify(algorithm, key, signature, data) { return isSigned(algorithm, key, signature, data); },
    async generateKey(algorithm, extractable, usages) {
      const name = kindOf(algorithm);
      return kinds[name].family.generate(name, typeof algorithm === 'string' ? { name } : algorithm, Boolean(extractable), usages);
    },
    async importKey(format, data, algorithm, extractable, usages) { return imported(format, data, algorithm, extractable, usages); },
    async exportKey(format, key) { return exported(format, key); },
    async deriveBits(algorithm, key, length) { return derived(algorithm, key, length, 'deriveBits'); },
    async deriveKey(algorithm, key, type, extractable, usages) {
      const name = kindOf(type);
      const length = kinds[name].family === secret ? secret.length(name, type) : null;
      return imported('raw', await derived(algorithm, key, length, 'deriveKey'), type, extractable, usages);
    },
    async wrapKey(format, key, wrapping, algorithm) {
      const made = exported(format, key);
      const bytes = format === 'jwk' ? native.utf8(JSON.stringify(made)) : made;
      if (kindOf(algorithm) !== 'AES-KW') return ciphered(false, algorithm, wrapping, bytes, 'wrapKey');
      return orFail(native.wrap(checked(wrapping, 'AES-KW', 'wrapKey'), bytes), 'the key does not have whole eighths of bytes');
    },
    async unwrapKey(format, wrapped, wrapping, algorithm, type, extractable, usages) {
      const bytes = kindOf(algorithm) === 'AES-KW'
        ? orFail(native.unwrap(checked(wrapping, 'AES-KW', 'unwrapKey'), bytesOf(wrapped)), 'this was not wrapped with this key')
        : ciphered(true, algorithm, wrapping, wrapped, 'unwrapKey');
      if (format !== 'jwk') return imported(format, bytes, type, extractable, usages);
      let jwk;
      try { jwk = JSON.parse(native.decode(bytes, 'utf-8', true)); } catch { throw failure('DataError', 'what was wrapped is no JWK'); }
      return imported(format, jwk, type, extractable, usages);
    },
  };
  Object.defineProperty(subtle, 'CryptoKey', { value: CryptoKey });
  return subtle;
}

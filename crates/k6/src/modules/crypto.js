// The module `k6/crypto`.
import { hash, hasher, hexEncode, hmac, randomBytes } from 'weir:crypto';

const streaming = (turn) => ({
  update(data) { turn(data ?? ''); },
  digest(encoding) { return turn(null, encoding ?? ''); },
});
export const createHash = (algorithm) => streaming(hasher(algorithm));
export const createHMAC = (algorithm, key) => streaming(hasher(algorithm, key));
export const md4 = (data, encoding) => hash('md4', data, encoding ?? '');
export const md5 = (data, encoding) => hash('md5', data, encoding ?? '');
export const sha1 = (data, encoding) => hash('sha1', data, encoding ?? '');
export const sha256 = (data, encoding) => hash('sha256', data, encoding ?? '');
export const sha384 = (data, encoding) => hash('sha384', data, encoding ?? '');
export const sha512 = (data, encoding) => hash('sha512', data, encoding ?? '');
export const sha512_224 = (data, encoding) => hash('sha512_224', data, encoding ?? '');
export const sha512_256 = (data, encoding) => hash('sha512_256', data, encoding ?? '');
export const ripemd160 = (data, encoding) => hash('ripemd160', data, encoding ?? '');
export { hexEncode, hmac, randomBytes };
export default {
  createHash, createHMAC, hexEncode, hmac, md4, md5, randomBytes, ripemd160, sha1, sha256, sha384, sha512, sha512_224, sha512_256,
};

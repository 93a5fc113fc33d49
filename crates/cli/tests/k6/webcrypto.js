// args: -i 1
// exit: 0
// holds: checks.passes == 20
// holds: checks.fails == 0
// What openssl and Node made is read, verified and decrypted, and what is made here reads back. RSA keys that are made keep no other user waiting.
import { check } from 'k6';
import { b64decode } from 'k6/encoding';

const bytes = (text) => new Uint8Array(b64decode(text));
const hex = (data) => Array.from(new Uint8Array(data), (byte) => byte.toString(16).padStart(2, '0')).join('');
const text = new TextEncoder().encode('Weir measures what is there.');
const PKCS1 = {
  spki: 'MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC6kt0ZeGwMdAIcjfeJH8uPT7VecGMkq5IECjySmT+Z8oA/XGG5ufIhvajH5ZmJzxbOiO9YNAMX0RMYQ6ohqO2zzDN366McQbE1YQN6jUFFc79m6aaMtuJPjhkJKtAzX3KkiYknIPShGj3VVHu6uThY8/VTfoybpfnP6UUYR/i+MwIDAQAB',
  signature: 'bPdspjnc6xRoxAGRsVgpbZlue+Rg2J1OXCjXptbxlKmqlv44CJjDs9G7R+NXg+BWmpxtykGphsfM6RjruIOnCNBVYPRs32xANiEGU4tLk+CI0KFFbxofKMZ/wCY+pqnoHh4QAqCQDopePuGFdEy1tnMVNOnO+wrETXNRD4PeytA=',
};
const PSS = {
  pkcs8: 'MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBALk9zR7EtZAxUFYrtkWC7C1W44SjLTp30l1AVGUnj+violcCmZiHbZlpe8AMcz4VybJ9HNDs8qvLPLGlG+WSRqYwQJaATW5wogcvics30nA2w8uauN75JMnsLG3ECKrrSyyJqNkKE/cy6rxw6pIb+lep4stPr7J0ggi1mvgnt7TLAgMBAAECgYEAnC0kwSorwbQx/VTBSf3FzbwR+oPw3/ih3YkdHmOqjb/4Cs/gW57iopMyiIp2pwOLl/av0t3TA1BIjaWczYL0GD4WaZvxmcRinWE/REfM9bu5JiwXsT/bDX9a1dtYl/QSP6MojQDmGzkFfIOyHfvwjUL77l7yTZx2PONn3R/TUOECQQDd6I/Z/AEDTYpMG5EmxsfKzafVhcrblSXK+71XqV6AmMbok6LcjDbyvrkKOa0/Vw3UB4RjsmatoDIf7RtNL3tpAkEA1bMpUpBM9UFtm+HrMjjvaFywuTWl/NTFTRVGGdqSQPhEJyDUsI9SK80jR+7n0UsdMUgVu3VuU84C6DOJLi+sEwJAJ0qKTfqE42TTW+51oPwJXCtV0ETESmT6MBqqx97BUNu8PGoHqC1bfVevw9O6jUCIvkYmdtCbxZpbxbNh5iTGIQJAdFZK4rXID6SE5V4CSp8QRoJfexSnvpKerq4sMZr6EACYKa0H3O7JTysoT9rRvPDlfZS+sAToARugHYUg41H0nQJAUUY9gMVD27Rsnz3b8MUmLsrFzYR1WNNa5DEAFi5/nA5hRLdb/eyrK9/aYhSbgonMOWzcGr82HHbo39I/mK2ZkA==',
  spki: 'MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC5Pc0exLWQMVBWK7ZFguwtVuOEoy06d9JdQFRlJ4/r4qJXApmYh22ZaXvADHM+FcmyfRzQ7PKryzyxpRvlkkamMECWgE1ucKIHL4nLN9JwNsPLmrje+STJ7CxtxAiq60ssiajZChP3Muq8cOqSG/pXqeLLT6+ydIIItZr4J7e0ywIDAQAB',
  signature: 'A6qxbmGaMTAkx9lL2dyMmcidaOw7+Ikox7V7wtxXXIRoHcwLaglt5x4huJheVOPh6lCi6qJqVEWML4AcEfz1tdMjasRCCRn/YKeETx1W71wmDtfRBETeRb39gO6lw4nekDZk0BRk7mXo6nJ/BMgoEuHBMyV5FRAVTGx48q8wRro=',
};
const OAEP = {
  pkcs8: 'MIICdQIBADANBgkqhkiG9w0BAQEFAASCAl8wggJbAgEAAoGBALwT2CVVQuI8Bwq4Inwj8wxYaSDzdUCR1GjHwVKqXA1svsSe/2SlMUmvhlFYTdeRh2xZwFThS2L4meYx9buUwsOWp1Oqy8NTlQJuBpKiuO/f1aK51rYdLQ1aBuc1rg2WiyvaZoB5XqyXj5Zyb8f1Y8G8hv7FmbO8rVf7QSdr+mqRAgEDAoGAfWKQGOOB7CgEsdAW/W1MsuWba0z41baNmy/WNxw9Xkh/Lb9U7cN2MR+u4OWJOmEE8uaAOJYyQfsRRCFOfQ3XK+kDLMJ8fi159nXLZRruNMNJ55wkMmDjpoTSWtAuNsmWrPrrSgHoXCI59m9eyvdmJZtqauU8B1L1Zo+UyrbnpMMCQQDy+hdfLOoyVCSwgMjpFGI12FLLCBMNnb/MwTShry4xW9RdpmPEmsrNDPmwXZaspqfrhv/lq51MoQE0p7RW3ByPAkEAxih5J+Qb3QnsDNSyET8+hQ50hJhXfjnTxgoqW7mNNs1UBF8tsedXlyurGwQA1aPhZ+BeiBQLc5w87zpDAsLW3wJBAKH8D5TInCGNbcsAhfC4QXk64dywDLO+f93WIxZ0yXY9OD5u7S28hzNd+8rpDx3Eb/JZ/+5yaN3Aq3hvzY89aF8CQQCEGvtv7WfosUgIjcwLf38DXvhYZY+pe+KEBsbn0QjPM41YP3PL74+6HRy8rVXjwpZFQD8FYrJNEtNKJtdXLI8/AkAYnwCR5sGD+ZNob7GQmus7wZTksNHd6FYPTQ5DgZrlEqGCbeqO/myebkYyF3DRd8nTi0j+nLKAbBPPrekFBAXe',
  encrypted: 'kWp/P8cOT2ccoqZWZL1WS7uGEMMryZIaAsev9fdzHiGvvYkWMcH28LNWAuKZWeJ438zf8BuWw6BQ8R9wuSaNZNEyC70TGMM8Ix9Wk6RMyF0yeIuuo43lEv3iTf51bNdy3Pv2SmWjKIICcWwP1vBScEm8z1VI0+DF4W2zEUcDOl0=',
};
const P521 = {
  jwk: {"key_ops": ["sign"], "ext": true, "kty": "EC", "x": "AfSksU0O9u9xQAvMBQ1TFfQIaWUWT8XbslNhVbUwtGR80x1foSEXvRhEn5QtziM0l8TS1FkBbtNsK7E_4f4W-c0Q", "y": "ACdhxB0b08E9CRJyZ-XlzesYQIzPX1k9AfPZ976T_Ctmnpl_Ba95SlbmUIIKsRCh2oo2BYGEMPlfAL846nl3gLUM", "crv": "P-521", "d": "APUAwFIQt9TZ4fkt_k36krsueVQo3VnbIpu9QTzGCUpPlo96vm9R6JPFGIb69ZrlcCbF62OZSQEXsL9sxix9u1_y"},
  raw: 'BAH0pLFNDvbvcUALzAUNUxX0CGllFk/F27JTYVW1MLRkfNMdX6EhF70YRJ+ULc4jNJfE0tRZAW7TbCuxP+H+FvnNEAAnYcQdG9PBPQkScmfl5c3rGECMz19ZPQHz2fe+k/wrZp6ZfwWveUpW5lCCCrEQodqKNgWBhDD5XwC/OOp5d4C1DA==',
  signature: 'AEmPJyR4v7lUYOHyQIWOE/tATkeml+uiJVzzKcjdL9llJRz5GIc/hZ9npupeEjMJrmuTrCBf2jo5qWQ78rNoz88vAHpGfLPgMWDnOzAj7MMZEngbBGviuOdXr1Uz0/1A7T1ZfGu1isHq2gR8zoJkiJuQRU7mlTYlDmJNjQcKB4FW9Lck',
};
const nameOf = async (promise) => { try { return typeof (await promise); } catch (error) { return error.name; } };

export default async function () {
  const { subtle } = crypto;
  const found = {};
  const pkcs1 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const pkcs1Key = await subtle.importKey('spki', bytes(PKCS1.spki), pkcs1, true, ['verify']);
  found['RSASSA-PKCS1-v1_5 verifies'] = await subtle.verify(pkcs1, pkcs1Key, bytes(PKCS1.signature), text);
  found['and not another text'] = !(await subtle.verify(pkcs1, pkcs1Key, bytes(PKCS1.signature), bytes('AAAA')));
  const pss = { name: 'RSA-PSS', hash: 'SHA-384', saltLength: 20 };
  const pssKey = await subtle.importKey('spki', bytes(PSS.spki), pss, true, ['verify']);
  const pssPrivate = await subtle.importKey('pkcs8', bytes(PSS.pkcs8), pss, true, ['sign']);
  found['RSA-PSS verifies'] = await subtle.verify(pss, pssKey, bytes(PSS.signature), text);
  found['RSA-PSS signs'] = await subtle.verify(pss, pssKey, await subtle.sign(pss, pssPrivate, text), text);
  found['PKCS #8 reads back'] = hex(await subtle.exportKey('pkcs8', pssPrivate)) === hex(bytes(PSS.pkcs8));
  const oaepKey = await subtle.importKey('pkcs8', bytes(OAEP.pkcs8), { name: 'RSA-OAEP', hash: 'SHA-1' }, true, ['decrypt']);
  const decrypted = await subtle.decrypt({ name: 'RSA-OAEP', label: new Uint8Array([1, 2]) }, oaepKey, bytes(OAEP.encrypted));
  found['RSA-OAEP decrypts'] = hex(decrypted) === hex(text);
  found['RSA-OAEP keeps to its label'] = (await nameOf(subtle.decrypt({ name: 'RSA-OAEP' }, oaepKey, bytes(OAEP.encrypted)))) === 'OperationError';
  const ecdsa = { name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-256' };
  const ecKey = await subtle.importKey('raw', bytes(P521.raw), ecdsa, true, ['verify']);
  const ecPrivate = await subtle.importKey('jwk', P521.jwk, ecdsa, true, ['sign']);
  found['ECDSA verifies'] = await subtle.verify(ecdsa, ecKey, bytes(P521.signature), text);
  found['ECDSA signs'] = await subtle.verify(ecdsa, ecKey, await subtle.sign(ecdsa, ecPrivate, text), text);
  const ecdh = { name: 'ECDH', namedCurve: 'P-384' };
  const [alice, bob] = [await subtle.generateKey(ecdh, true, ['deriveBits']), await subtle.generateKey(ecdh, true, ['deriveBits'])];
  const [one, other] = [await subtle.deriveBits({ ...ecdh, public: bob.publicKey }, alice.privateKey, 256), await subtle.deriveBits({ ...ecdh, public: alice.publicKey }, bob.privateKey, 256)];
  found['ECDH has something in common'] = hex(one) === hex(other) && one.byteLength === 32;
  const key = await subtle.importKey('raw', new Uint8Array(16).fill(9), 'AES-GCM', true, ['encrypt', 'decrypt']);
  const gcm = { name: 'AES-GCM', iv: new Uint8Array(12).fill(3) };
  const sealed = await subtle.encrypt(gcm, key, text);
  found['AES-GCM reads back'] = sealed.byteLength === text.length + 16 && hex(await subtle.decrypt(gcm, key, sealed)) === hex(text);
  new Uint8Array(sealed)[0] ^= 1;
  found['AES-GCM sees a change'] = (await nameOf(subtle.decrypt(gcm, key, sealed))) === 'OperationError';
  found['a key is for its algorithm alone'] = (await nameOf(subtle.encrypt({ name: 'AES-CBC', iv: new Uint8Array(16) }, key, text))) === 'InvalidAccessError';
  found['usages are kept'] = (await nameOf(subtle.sign('HMAC', key, text))) === 'InvalidAccessError';
  found['a key needs usages'] = (await nameOf(subtle.generateKey({ name: 'AES-GCM', length: 128 }, true, []))) === 'SyntaxError';
  found['unknown algorithms are not there'] = (await nameOf(subtle.digest('MD5', text))) === 'NotSupportedError';
  found['what is no key is none'] = (await nameOf(subtle.importKey('raw', new Uint8Array(15), 'AES-GCM', true, ['encrypt']))) === 'DataError';
  const password = await subtle.importKey('raw', new TextEncoder().encode('password'), 'PBKDF2', false, ['deriveBits']);
  const derived = await subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-1', salt: new TextEncoder().encode('salt'), iterations: 4096 }, password, 160);
  found['PBKDF2 is that of RFC 6070'] = hex(derived) === '4b007901b765489abead49d926f721d065a429c1';
  const rsa = { name: 'RSA-PSS', hash: 'SHA-256', modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]) };
  let turns = 0;
  const made = subtle.generateKey(rsa, true, ['sign', 'verify']).finally(() => clearInterval(timer));
  const timer = setInterval(() => { turns += 1; }, 1);
  const pair = await made;
  found['an RSA key is made'] = pair.publicKey.algorithm.modulusLength === 1024 && pair.privateKey.type === 'private';
  found['and timers go on meanwhile'] = turns > 0;
  check(null, found);
}

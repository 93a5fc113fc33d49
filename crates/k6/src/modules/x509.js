// The module `k6/crypto/x509`.
import { read } from 'weir:x509';

const number = (digits) => BigInt(`0x${digits}`);
function keyOf({ algorithm, n, e, curve, x, y, p, q, g }) {
  if (algorithm === 'RSA') return { algorithm, key: { n: number(n), e: Number(number(e)) } };
  if (algorithm === 'ECDSA') return { algorithm, key: { curve, x: number(x), y: number(y) } };
  const parameters = { p: number(p), q: number(q), g: number(g) };
  return { algorithm, key: { parameters, ...parameters, y: number(y) } };
}
const issuerOf = ({ commonName, country, stateOrProvinceName, localityName, organizationName, names }) => (
  { commonName, country, stateOrProvinceName, localityName, organizationName, names: names.map(({ type, value }) => ({ type, value })) }
);
function subjectOf(subject) {
  const { commonName, country, stateOrProvinceName, localityName, organizationName, names } = issuerOf(subject);
  const { postalCode, streetAddress, organizationalUnitName } = subject;
  return { commonName, country, postalCode, stateOrProvinceName, localityName, streetAddress, organizationName, organizationalUnitName, names };
}
export function parse(pem) {
  const { subject, issuer, notBefore, notAfter, altNames, signatureAlgorithm, fingerPrint, publicKey } = JSON.parse(read(pem, true));
  return {
    subject: subjectOf(subject), issuer: issuerOf(issuer), notBefore, notAfter, altNames, signatureAlgorithm, fingerPrint, publicKey: keyOf(publicKey),
  };
}
export const getAltNames = (pem) => JSON.parse(read(pem, false)).altNames;
export const getIssuer = (pem) => issuerOf(JSON.parse(read(pem, false)).issuer);
export const getSubject = (pem) => subjectOf(JSON.parse(read(pem, false)).subject);
export default { getAltNames, getIssuer, getSubject, parse };

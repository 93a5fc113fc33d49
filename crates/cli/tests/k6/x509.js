// exit: 0
// holds: checks.passes == 8
// holds: checks.fails == 0
// Certificates made by openssl say what openssl says of them.
import { check } from 'k6';
import x509, { getAltNames, getIssuer, getSubject, parse } from 'k6/crypto/x509';

const RSA = `-----BEGIN CERTIFICATE-----
MIIEzzCCA7egAwIBAgIUJk68ds0jBDbmWs5yccdJexfIlikwDQYJKoZIhvcNAQEL
BQAwgcYxCzAJBgNVBAYTAkRFMQ8wDQYDVQQIDAZCYXllcm4xETAPBgNVBAcMCE11
ZW5jaGVuMQ4wDAYDVQQRDAU4MDMzMTEUMBIGA1UECQwLSGF1cHRzdHIuIDExEzAR
BgNVBAoMCkFjbWUsIEluYy4xDzANBgNVBAoMBlNlY29uZDEMMAoGA1UECwwDT25l
MQwwCgYDVQQLDANUd28xFDASBgNVBAMMC2V4YW1wbGUuY29tMRUwEwYJKoZIhvcN
AQkBFgZhQGIuZGUwHhcNMjYxMTIxMTIwNDU0WhcNMzYxMTE4MTIwNDU0WjCBxjEL
MAkGA1UEBhMCREUxDzANBgNVBAgMBkJheWVybjERMA8GA1UEBwwITXVlbmNoZW4x
DjAMBgNVBBEMBTgwMzMxMRQwEgYDVQQJDAtIYXVwdHN0ci4gMTETMBEGA1UECgwK
QWNtZSwgSW5jLjEPMA0GA1UECgwGU2Vjb25kMQwwCgYDVQQLDANPbmUxDDAKBgNV
BAsMA1R3bzEUMBIGA1UEAwwLZXhhbXBsZS5jb20xFTATBgkqhkiG9w0BCQEWBmFA
Yi5kZTCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBAM208XooGkaIJnwT
IdC8Ks7OvUvk1hBdi3yXEPBbis46V7WBXkWfKtvjQEwSgCrD2HhZvEDO/Wq+4jRq
dcHkyHzJyFZT4uvdpidUYUDk9DsNpW+hgoa47SN1r/kGE5E9MbdFUXR+RhjkWiJ4
2//+QS4ec8jYKeh/Sh1M5NaPqzNVwqsZxChkNJqSuWNPnblWdVSRYGOKapebv7g7
HbS2Vey04Bl9kpgOtIGj5hxu9scJ93fEmxNUHyPXxT7pyobeZB6KjJLNuDr5IzLM
b7USwgX+VhG8difaOy4o2nkrdMQdL/g/ACLXw5rFgZVjbUd4zHi4079aqeUjyO/L
6JEsTTkCAwEAAaOBsjCBrzAdBgNVHQ4EFgQU0ZTfqRaOL1FHto9rNhLQbLxYKLkw
HwYDVR0jBBgwFoAU0ZTfqRaOL1FHto9rNhLQbLxYKLkwDwYDVR0TAQH/BAUwAwEB
/zBcBgNVHREEVTBTggtleGFtcGxlLmNvbYINKi5leGFtcGxlLmNvbYcEfwAAAYcQ
AAAAAAAAAAAAAAAAAAAAAYEIbWVAeC5vcmeGE2h0dHBzOi8vdS5leGFtcGxlL3gw
DQYJKoZIhvcNAQELBQADggEBAA23/ZGKkW8Mw6AeQpda4neH3mfnfDOsiFraTnMy
nXTLIBJT+LbvpFF/3DtGd2+qrVALI33UnCP8e/7nme5+9POp84v4L3Z7QDSvX7JF
b5RmMVzXEClP7yw1o/6j5f6J951vIbsMKg2YP9FmiaRrL6rMZox5lXuwRSwgtmP0
YU+9E03y/s5tvZ5cZerYoEyD+7jvg+lFv0fbCvVcfN3L8oMLoRb5Wft1+YAxUhTq
aEo3FI4h/S9wIYsNTNAB3zXx1VG4K3n1joan+z69sg9aoA2mS2iV2m8Z6sreiaPJ
5kgTpW9SKEF4MSrMCK9C3q1ibQEtsX8/uWoczZxs0mHn5IE=
-----END CERTIFICATE-----`;
const CURVE = `-----BEGIN CERTIFICATE-----
MIIBcTCCARegAwIBAgIUEsCwhQNJDKtU8PLMHypZkoWUauwwCgYIKoZIzj0EAwIw
DTELMAkGA1UEAwwCZWMwIBcNMjYxMTIxMTIwNDU0WhgPMjEyNjEwMjgxMjA0NTRa
MA0xCzAJBgNVBAMMAmVjMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEmaZv1MU5
UP1f2B7ZMjjFNlflaTXWrp5i+2hy16GidZNeh+IZBnrBNSlA7hHLKQALlTq0g81u
E6epeq3BMKAxJ6NTMFEwHQYDVR0OBBYEFFjjrUtgjCySptopuxeSHfO0XFK0MB8G
A1UdIwQYMBaAFFjjrUtgjCySptopuxeSHfO0XFK0MA8GA1UdEwEB/wQFMAMBAf8w
CgYIKoZIzj0EAwIDSAAwRQIhAKUUaYIAdXDz7/DtlYHMOfe7ZxFXO5Lf6ObYvmc/
Rgu7AiBJqj/NDcVf7IBl2pKTAsRugGosiHX3bF/Mki0K1paqZw==
-----END CERTIFICATE-----`;
const said = (work) => { try { return work(); } catch (error) { return error.message; } };

export default function () {
  const rsa = parse(RSA);
  const curve = x509.parse(CURVE);
  check(null, {
    'names': getSubject(RSA).commonName === 'example.com' && rsa.subject.postalCode === '80331' && getIssuer(RSA).organizationName === 'Acme, Inc.',
    'all parts of a name': rsa.subject.organizationalUnitName.join() === 'One,Two' && rsa.subject.names[10].type === '1.2.840.113549.1.9.1',
    'other names': getAltNames(RSA).join() === 'example.com,*.example.com,me@x.org,127.0.0.1,::1,https://u.example/x',
    'dates': rsa.notBefore === '2026-11-21T12:04:54Z' && curve.notAfter === '2126-10-28T12:04:54Z',
    'signatures': rsa.signatureAlgorithm === 'SHA256-RSA' && curve.signatureAlgorithm === 'ECDSA-SHA256',
    'fingerprints': rsa.fingerPrint.slice(0, 4).join() === '134,185,32,114' && rsa.fingerPrint.length === 20,
    'keys': rsa.publicKey.algorithm === 'RSA' && rsa.publicKey.key.e === 65537 && curve.publicKey.key.x === 69497934276116256452493431812855690597819395547715674166308222624721841321363n,
    'what is none': said(() => parse('nope')) === 'failed to decode certificate PEM file',
  });
}

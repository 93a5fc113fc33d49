// The module `k6/http`: shapes of arguments and responses; what travels is native.
import * as native from 'weir:http';
import * as later from 'weir:later';

// What responses can do. Their values are made by `request/response.rs` when they are read.
const responses = {
  // Paths are as if by require('weir:paths'): run when a response is first asked for one.
  json(path) {
    if (path === undefined) return native.json(this);
    if (this.body === null) throw new TypeError("the body is null so we can't transform it to JSON");
    let value;
    try { value = native.json(this); } catch { return undefined; }
    return later.paths().at(value, String(path));
  },
  // Loaded with the script as if by require('weir:markup'), and run when a response is first read as HTML.
  html(selector) { return later.markup().ofResponse(this, selector); },
  submitForm(args) { return later.markup().submitForm(this, args, request); },
  clickLink(args) { return later.markup().clickLink(this, args, request); },
};
native.responses(responses);

export const request = (method, url, body, params) => native.request(method, url, body, params);
export const get = (url, params) => native.request('GET', url, null, params);
export const head = (url, params) => native.request('HEAD', url, null, params);
export const post = (url, body, params) => native.request('POST', url, body, params);
export const put = (url, body, params) => native.request('PUT', url, body, params);
export const patch = (url, body, params) => native.request('PATCH', url, body, params);
export const del = (url, body, params) => native.request('DELETE', url, body, params);
export const options = (url, body, params) => native.request('OPTIONS', url, body, params);
export const asyncRequest = async (method, url, body, params) => native.launch(method, url, body, params);

// [method, url, body, params] of what a batch may hold.
function entryOf(entry) {
  if (typeof entry === 'string' || (entry && entry.__url)) return ['GET', entry, null, null];
  if (Array.isArray(entry)) return [entry[0], entry[1], entry[2], entry[3]];
  if (entry === null || typeof entry !== 'object') return ['GET', entry, null, null];
  const method = (entry.method || 'GET').toUpperCase();
  return [method, entry.url, method === 'GET' || method === 'HEAD' ? null : entry.body, entry.params];
}

// At once, as far as the options batch and batchPerHost let it; the results have the shape of what was given.
export function batch(requests) {
  if (requests === null || typeof requests !== 'object') throw new TypeError('http.batch() takes an array or an object of requests');
  const names = Object.keys(requests);
  const responses = native.batch(names.map((name) => entryOf(requests[name])));
  return Array.isArray(requests) ? responses : Object.fromEntries(names.map((name, at) => [name, responses[at]]));
}

// Part of a form that is a file.
export function file(data, filename, contentType) {
  const made = {
    data,
    filename: filename === undefined ? native.fileName() : String(filename),
    content_type: contentType === undefined ? 'application/octet-stream' : String(contentType),
  };
  Object.defineProperty(made, '__file', { value: true });
  return made;
}

export class CookieJar {
  constructor(isCurrent) { Object.defineProperty(this, '__jar', { value: native.jar(isCurrent === current) }); }
  cookiesForURL(url) { return native.jarList(this.__jar, String(url)); }
  set(url, name, value, options) { return native.jarPut(this.__jar, String(url), String(name), String(value), options); }
  clear(url) { native.jarForget(this.__jar, String(url)); }
  delete(url, name) { native.jarForget(this.__jar, String(url), String(name)); }
}
const current = {};
// Of the current iteration.
export const cookieJar = () => new CookieJar(current);

// http.url`…`: the URL, and a name in which every substitution is `${}`.
export function url(parts, ...values) {
  const text = parts.reduce((text, part, at) => text + part + (at < values.length ? String(values[at]) : ''), '');
  return { __url: text, name: parts.join('${}'), toString() { return text; } };
}

export const expectedStatuses = (...ranges) => {
  if (ranges.length === 0) throw new TypeError('no arguments');
  const isRange = (one) => Number.isInteger(one) || (one && Number.isInteger(one.min) && Number.isInteger(one.max));
  ranges.forEach((one, at) => {
    if (!isRange(one)) throw new TypeError(`argument number ${at + 1} to expectedStatuses was neither an integer nor an object like {min:100, max:329}`);
  });
  return native.expectedStatuses(ranges);
};
export const setResponseCallback = (callback) => native.setResponseCallback(callback);

export const TLS_1_0 = 'tls1.0';
export const TLS_1_1 = 'tls1.1';
export const TLS_1_2 = 'tls1.2';
export const TLS_1_3 = 'tls1.3';
export const OCSP_STATUS_GOOD = 'good';
export const OCSP_STATUS_REVOKED = 'revoked';
export const OCSP_STATUS_SERVER_FAILED = 'server_failed';
export const OCSP_STATUS_UNKNOWN = 'unknown';
export const OCSP_REASON_UNSPECIFIED = 'unspecified';
export const OCSP_REASON_KEY_COMPROMISE = 'key_compromise';
export const OCSP_REASON_CA_COMPROMISE = 'ca_compromise';
export const OCSP_REASON_AFFILIATION_CHANGED = 'affiliation_changed';
export const OCSP_REASON_SUPERSEDED = 'superseded';
export const OCSP_REASON_CESSATION_OF_OPERATION = 'cessation_of_operation';
export const OCSP_REASON_CERTIFICATE_HOLD = 'certificate_hold';
export const OCSP_REASON_REMOVE_FROM_CRL = 'remove_from_crl';
export const OCSP_REASON_PRIVILEGE_WITHDRAWN = 'privilege_withdrawn';
export const OCSP_REASON_AA_COMPROMISE = 'aa_compromise';

const http = {
  request, get, head, post, put, patch, del, options, asyncRequest, batch, url, file, cookieJar, CookieJar,
  expectedStatuses, setResponseCallback, TLS_1_0, TLS_1_1, TLS_1_2, TLS_1_3, OCSP_STATUS_GOOD, OCSP_STATUS_REVOKED,
  OCSP_STATUS_SERVER_FAILED, OCSP_STATUS_UNKNOWN, OCSP_REASON_UNSPECIFIED, OCSP_REASON_KEY_COMPROMISE,
  OCSP_REASON_CA_COMPROMISE, OCSP_REASON_AFFILIATION_CHANGED, OCSP_REASON_SUPERSEDED, OCSP_REASON_CESSATION_OF_OPERATION,
  OCSP_REASON_CERTIFICATE_HOLD, OCSP_REASON_REMOVE_FROM_CRL, OCSP_REASON_PRIVILEGE_WITHDRAWN, OCSP_REASON_AA_COMPROMISE,
};
// Who requires it has the same object as who imports it, and may put other functions in their places.
export { http as default, http as 'module.exports' };

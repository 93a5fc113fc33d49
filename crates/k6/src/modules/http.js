// The module `k6/http`: shapes of arguments and responses; what travels is native.
import * as native from 'weir:http';
import * as later from 'weir:later';

// Of the parts that `request/response.rs` gives, by position there.
function Response(parts) {
  this.remote_ip = parts[0];
  this.remote_port = parts[1];
  this.url = parts[2];
  this.status = parts[3];
  this.status_text = parts[4];
  this.proto = parts[5];
  const headers = {};
  const given = parts[6];
  for (let at = 0; at < given.length; at += 2) headers[given[at]] = given[at + 1];
  this.headers = headers;
  this.cookies = parts[7] ?? {};
  this.body = parts[8];
  this.timings = {
    duration: parts[9], blocked: parts[10], looking_up: 0, connecting: parts[11], tls_handshaking: parts[12], sending: parts[22] ?? 0,
    waiting: parts[13], receiving: parts[14],
  };
  this.tls_version = parts[23] ?? '';
  this.tls_cipher_suite = parts[24] ?? '';
  this.ocsp = { produced_at: 0, this_update: 0, next_update: 0, revoked_at: 0, revocation_reason: '', status: parts[23] ? 'unknown' : '' };
  this.error = parts[15];
  this.error_code = parts[16];
  const sent = {};
  const asked = parts[19];
  for (let at = 0; at < asked.length; at += 2) sent[asked[at]] = [asked[at + 1]];
  this.request = { method: parts[17], url: parts[18], headers: sent, body: parts[20], cookies: parts[21] ?? {} };
}
// The parsed body, kept; not among the response's own names.
const parsed = Symbol('json');
function parse(response) {
  if (parsed in response) return response[parsed];
  const text = typeof response.body === 'string' ? response.body : native.text(response.body);
  let value;
  try { value = JSON.parse(text); } catch (error) { throw new SyntaxError(native.jsonError(text) || error.message); }
  Object.defineProperty(response, parsed, { value });
  return value;
}
// As if by require('weir:paths'): run when a response is first asked for a path.
Response.prototype.json = function json(path) {
  if (this.body === null) throw new TypeError("the body is null so we can't transform it to JSON");
  if (path === undefined) return parse(this);
  let value;
  try { value = parse(this); } catch { return undefined; }
  return later.paths().at(value, String(path));
};
// Loaded with the script as if by require('weir:markup'), and run when a response is first read as HTML.
Response.prototype.html = function html(selector) { return later.markup().ofResponse(this, selector); };
Response.prototype.submitForm = function submitForm(args) { return later.markup().submitForm(this, args, request); };
Response.prototype.clickLink = function clickLink(args) { return later.markup().clickLink(this, args, request); };

const respond = (parts) => new Response(parts);
export const request = (method, url, body, params) => respond(native.request(method, url, body, params));
export const get = (url, params) => respond(native.request('GET', url, null, params));
export const head = (url, params) => respond(native.request('HEAD', url, null, params));
export const post = (url, body, params) => respond(native.request('POST', url, body, params));
export const put = (url, body, params) => respond(native.request('PUT', url, body, params));
export const patch = (url, body, params) => respond(native.request('PATCH', url, body, params));
export const del = (url, body, params) => respond(native.request('DELETE', url, body, params));
export const options = (url, body, params) => respond(native.request('OPTIONS', url, body, params));
export const asyncRequest = async (method, url, body, params) => respond(await native.launch(method, url, body, params));

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
  const responses = native.batch(names.map((name) => entryOf(requests[name]))).map(respond);
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

export default {
  request, get, head, post, put, patch, del, options, asyncRequest, batch, url, file, cookieJar, CookieJar,
  expectedStatuses, setResponseCallback, TLS_1_0, TLS_1_1, TLS_1_2, TLS_1_3, OCSP_STATUS_GOOD, OCSP_STATUS_REVOKED,
  OCSP_STATUS_SERVER_FAILED, OCSP_STATUS_UNKNOWN, OCSP_REASON_UNSPECIFIED, OCSP_REASON_KEY_COMPROMISE,
  OCSP_REASON_CA_COMPROMISE, OCSP_REASON_AFFILIATION_CHANGED, OCSP_REASON_SUPERSEDED, OCSP_REASON_CESSATION_OF_OPERATION,
  OCSP_REASON_CERTIFICATE_HOLD, OCSP_REASON_REMOVE_FROM_CRL, OCSP_REASON_PRIVILEGE_WITHDRAWN, OCSP_REASON_AA_COMPROMISE,
};

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
    duration: parts[9], blocked: parts[10], looking_up: 0, connecting: parts[11], tls_handshaking: parts[12], sending: 0,
    waiting: parts[13], receiving: parts[14],
  };
  this.tls_version = '';
  this.tls_cipher_suite = '';
  this.ocsp = { produced_at: 0, this_update: 0, next_update: 0, revoked_at: 0, revocation_reason: '', status: '' };
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
Response.prototype.json = function json(path) {
  if (this.body === null) throw new TypeError("the body is null so we can't transform it to JSON");
  if (path === undefined) return parse(this);
  let value;
  try { value = parse(this); } catch { return undefined; }
  return find(value, steps(String(path)));
};
// Loaded with the script as if by require('weir:markup'), and run when a response is first read as HTML.
Response.prototype.html = function html(selector) { return later.markup().ofResponse(this, selector); };
Response.prototype.submitForm = function submitForm(args) { return later.markup().submitForm(this, args, request); };
Response.prototype.clickLink = function clickLink(args) { return later.markup().clickLink(this, args, request); };

// Paths as gjson has them: keys with `*` and `?`, indexes, `#`, `#(query)`, `#(query)#`, `|`, and some modifiers. A dot behind a backslash is one.
// A step: { key, isPattern, isPiped }, with `query` and `all` for those in parentheses.
function steps(path) {
  const found = [];
  let isPiped = false;
  let at = 0;
  while (at <= path.length) {
    const step = { key: '', pattern: '', isPattern: false, isPiped };
    if (path[at] === '#' && path[at + 1] === '(') {
      const end = closing(path, at + 1);
      step.query = query(path.slice(at + 2, end));
      at = end + 1;
      if (path[at] === '#') { step.all = true; at += 1; }
    }
    for (; at < path.length && path[at] !== '.' && path[at] !== '|'; at += 1) {
      const isLetter = path[at] === '\\' && at + 1 < path.length;
      if (isLetter) at += 1;
      else if (path[at] === '*' || path[at] === '?') {
        step.isPattern = true;
        step.pattern += path[at] === '*' ? '.*' : '.';
        step.key += path[at];
        continue;
      }
      step.key += path[at];
      step.pattern += path[at].replace(/[.*+?^${}()|[\]\\\/]/, '\\$&');
    }
    if (!step.query && /^[{[]/.test(step.key)) throw new Error(`paths of several values are not there: ${path}; ask for each`);
    found.push(step);
    if (at >= path.length) break;
    isPiped = path[at] === '|';
    at += 1;
  }
  return found;
}
// Where the parenthesis at a place is closed, texts left out.
function closing(text, from) {
  let depth = 0;
  let isText = false;
  for (let at = from; at < text.length; at += 1) {
    if (isText && text[at] === '\\') at += 1;
    else if (text[at] === '"') isText = !isText;
    else if (!isText && text[at] === '(') depth += 1;
    else if (!isText && text[at] === ')') { depth -= 1; if (depth === 0) return at; }
  }
  return text.length;
}
// `path operator value` of a query.
function query(text) {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    else if (text[at] === ')') depth -= 1;
    else if (depth === 0) {
      const operator = /^(==|!=|<=|>=|!%|=|<|>|%)/.exec(text.slice(at, at + 2));
      if (operator) return { path: text.slice(0, at).trim(), operator: operator[0], value: literal(text.slice(at + operator[0].length).trim()) };
    }
  }
  return { path: text.trim() };
}
function literal(text) {
  try { return JSON.parse(text); } catch { return text; }
}
function matches(value, { path, operator, value: wanted }) {
  const own = path === '' ? value : find(value, steps(path));
  if (own === undefined) return false;
  if (operator === undefined) return true;
  if (operator === '%' || operator === '!%') {
    const is = typeof own === 'string' && like(String(wanted)).test(own);
    return is === (operator === '%');
  }
  if (operator === '!=') return own !== wanted;
  if (operator === '=' || operator === '==') return own === wanted;
  if (typeof own !== typeof wanted || typeof own === 'object') return false;
  return operator === '<' ? own < wanted : operator === '<=' ? own <= wanted : operator === '>' ? own > wanted : own >= wanted;
}
const like = (pattern) => new RegExp(`^${pattern.replace(/[.+^${}()|[\]\\\/]/g, '\\$&').replace(/\*/g, '.*').replace(/\?/g, '.')}$`, 's');
const modifiers = {
  '@this': (value) => value,
  '@valid': (value) => value,
  '@ugly': (value) => value,
  '@pretty': (value) => value,
  '@reverse': (value) => (Array.isArray(value) ? [...value].reverse() : value !== null && typeof value === 'object' ? Object.fromEntries(Object.entries(value).reverse()) : value),
  '@keys': (value) => (value !== null && typeof value === 'object' && !Array.isArray(value) ? Object.keys(value) : []),
  '@values': (value) => (value !== null && typeof value === 'object' ? Object.values(value) : []),
  '@flatten': (value) => (Array.isArray(value) ? value.flat() : value),
  '@tostr': (value) => JSON.stringify(value),
  '@fromstr': (value) => literal(value),
};
function find(value, path) {
  for (let at = 0; at < path.length; at += 1) {
    const { key, pattern, isPattern, query: wanted, all } = path[at];
    // What comes behind a dot is asked of each element, what comes behind a bar of them all.
    const each = (list) => {
      let end = at + 1;
      while (end < path.length && !path[end].isPiped) end += 1;
      const rest = path.slice(at + 1, end);
      at = end - 1;
      return rest.length === 0 ? list : list.map((one) => find(one, rest)).filter((one) => one !== undefined);
    };
    if (Object.hasOwn(modifiers, key)) { value = modifiers[key](value); continue; }
    if (value === null || typeof value !== 'object') return undefined;
    if (wanted) {
      if (!Array.isArray(value)) return undefined;
      value = all ? each(value.filter((one) => matches(one, wanted))) : value.find((one) => matches(one, wanted));
    } else if (key === '#' && Array.isArray(value)) {
      const isLast = at + 1 === path.length || path[at + 1].isPiped;
      value = isLast ? value.length : each(value);
    } else if (Array.isArray(value)) {
      value = /^\d+$/.test(key) ? value[Number(key)] : undefined;
    } else if (isPattern) {
      const name = Object.keys(value).find((name) => new RegExp(`^${pattern}$`, 's').test(name));
      value = name === undefined ? undefined : value[name];
    } else {
      value = Object.hasOwn(value, key) ? value[key] : undefined;
    }
  }
  return value;
}

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
    filename: filename === undefined ? `${Date.now()}000000` : String(filename),
    content_type: contentType === undefined ? 'application/octet-stream' : String(contentType),
  };
  Object.defineProperty(made, '__file', { value: true });
  return made;
}

export class CookieJar {
  constructor(isCurrent) { Object.defineProperty(this, '__jar', { value: native.jar(isCurrent === current) }); }
  cookiesForURL(url) { return native.jarList(this.__jar, String(url)); }
  set(url, name, value, options) { return native.jarSet(this.__jar, String(url), String(name), String(value), options); }
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

// The module `k6/http`: shapes of arguments and responses; what travels is native.
import * as native from 'weir:http';

function Response() {}
Response.prototype.json = function json(path) {
  if (this.body === null) throw new TypeError("the body is null so we can't transform it to JSON");
  const text = typeof this.body === 'string' ? this.body : native.text(this.body);
  if (path === undefined) return JSON.parse(text);
  let value;
  try { value = JSON.parse(text); } catch { return undefined; }
  return find(value, split(path));
};
Response.prototype.html = function html() {
  throw new Error('Response.html() is not there yet');
};

// Paths as in gjson: keys and indexes parted by dots, `#` for the length of a list or all of its elements, a dot behind a backslash is one.
function split(path) {
  const keys = [''];
  for (let at = 0; at < path.length; at += 1) {
    if (path[at] === '\\' && at + 1 < path.length) { at += 1; keys[keys.length - 1] += path[at]; }
    else if (path[at] === '.') keys.push('');
    else keys[keys.length - 1] += path[at];
  }
  return keys;
}
function find(value, keys) {
  for (let at = 0; at < keys.length; at += 1) {
    const key = keys[at];
    if (value === null || typeof value !== 'object') return undefined;
    if (key === '#' && Array.isArray(value)) {
      if (at + 1 === keys.length) return value.length;
      return value.map((one) => find(one, keys.slice(at + 1))).filter((one) => one !== undefined);
    }
    value = Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

const respond = (raw) => Object.setPrototypeOf(raw, Response.prototype);
export const request = (method, url, body, params) => respond(native.request(method, url, body, params));
export const get = (url, params) => respond(native.request('GET', url, null, params));
export const head = (url, params) => respond(native.request('HEAD', url, null, params));
export const post = (url, body, params) => respond(native.request('POST', url, body, params));
export const put = (url, body, params) => respond(native.request('PUT', url, body, params));
export const patch = (url, body, params) => respond(native.request('PATCH', url, body, params));
export const del = (url, body, params) => respond(native.request('DELETE', url, body, params));
export const options = (url, body, params) => respond(native.request('OPTIONS', url, body, params));
export const asyncRequest = async (method, url, body, params) => request(method, url, body, params);

// One after another so far.
export function batch(requests) {
  const one = (entry) => {
    if (typeof entry === 'string' || (entry && entry.__url)) return get(entry);
    if (Array.isArray(entry)) return request(entry[0], entry[1], entry[2], entry[3]);
    const method = (entry.method || 'GET').toUpperCase();
    return request(method, entry.url, method === 'GET' || method === 'HEAD' ? null : entry.body, entry.params);
  };
  if (Array.isArray(requests)) return requests.map(one);
  return Object.fromEntries(Object.entries(requests).map(([name, entry]) => [name, one(entry)]));
}

// http.url`…`: the URL, and a name in which every substitution is `${}`.
export function url(parts, ...values) {
  const text = parts.reduce((text, part, at) => text + part + (at < values.length ? String(values[at]) : ''), '');
  return { __url: text, name: parts.join('${}'), toString() { return text; } };
}

export const expectedStatuses = (...ranges) => native.expectedStatuses(ranges);
export const setResponseCallback = (callback) => native.setResponseCallback(callback);

export default {
  request, get, head, post, put, patch, del, options, asyncRequest, batch, url, expectedStatuses, setResponseCallback,
};

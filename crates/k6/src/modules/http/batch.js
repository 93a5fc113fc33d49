// `batch` of the module `k6/http`.
const native = require('weir:http');
// Responses are what that makes them.
require('weir:http/requests');

// [method, url, body, params] of what a batch may hold.
function entryOf(entry) {
  if (typeof entry === 'string' || (entry && entry.__url)) return ['GET', entry, null, null];
  if (Array.isArray(entry)) return [entry[0], entry[1], entry[2], entry[3]];
  if (entry === null || typeof entry !== 'object') return ['GET', entry, null, null];
  const method = (entry.method || 'GET').toUpperCase();
  return [method, entry.url, method === 'GET' || method === 'HEAD' ? null : entry.body, entry.params];
}

// At once, as far as the options batch and batchPerHost let it; the results have the shape of what was given.
exports.batch = function batch(requests) {
  if (requests === null || typeof requests !== 'object') throw new TypeError('http.batch() takes an array or an object of requests');
  const names = Object.keys(requests);
  const responses = native.batch(names.map((name) => entryOf(requests[name])));
  return Array.isArray(requests) ? responses : Object.fromEntries(names.map((name, at) => [name, responses[at]]));
};

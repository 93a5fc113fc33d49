// Requests of the module `k6/http`, and what their responses can do; what travels is native.
const native = require('weir:http');
const later = require('weir:later');

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

const request = (method, url, body, params) => native.request(method, url, body, params);
const get = (url, params) => native.request('GET', url, null, params);
const head = (url, params) => native.request('HEAD', url, null, params);
const post = (url, body, params) => native.request('POST', url, body, params);
const put = (url, body, params) => native.request('PUT', url, body, params);
const patch = (url, body, params) => native.request('PATCH', url, body, params);
const del = (url, body, params) => native.request('DELETE', url, body, params);
const options = (url, body, params) => native.request('OPTIONS', url, body, params);
const asyncRequest = async (method, url, body, params) => native.launch(method, url, body, params);

module.exports = { request, get, head, post, put, patch, del, options, asyncRequest };

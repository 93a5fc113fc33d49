// Cookie jars of the module `k6/http`.
const native = require('weir:http');

const current = {};
class CookieJar {
  constructor(isCurrent) { Object.defineProperty(this, '__jar', { value: native.jar(isCurrent === current) }); }
  cookiesForURL(url) { return native.jarList(this.__jar, String(url)); }
  set(url, name, value, options) { return native.jarPut(this.__jar, String(url), String(name), String(value), options); }
  clear(url) { native.jarForget(this.__jar, String(url)); }
  delete(url, name) { native.jarForget(this.__jar, String(url), String(name)); }
}
// Of the current iteration.
const cookieJar = () => new CookieJar(current);

module.exports = { CookieJar, cookieJar };

// The globals `URL` and `URLSearchParams`, for URLs of the usual schemes: made when a script first asks for one.
() => {
  const decode = (text) => {
    const spaced = text.replace(/\+/g, ' ');
    try { return decodeURIComponent(spaced); } catch { return spaced; }
  };
  const encode = (text) => encodeURIComponent(text).replace(/%20/g, '+').replace(/[!'()~]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  class URLSearchParams {
    #pairs = [];
    #changed = () => {};
    constructor(from = '', changed = undefined) {
      if (typeof from === 'string') {
        for (const part of from.replace(/^\?/, '').split('&')) {
          if (part === '') continue;
          const at = part.indexOf('=');
          this.#pairs.push(at < 0 ? [decode(part), ''] : [decode(part.slice(0, at)), decode(part.slice(at + 1))]);
        }
      } else {
        const pairs = typeof from[Symbol.iterator] === 'function' ? [...from] : Object.entries(from);
        this.#pairs = pairs.map(([name, value]) => [String(name), String(value)]);
      }
      if (changed) this.#changed = changed;
    }
    get size() { return this.#pairs.length; }
    append(name, value) { this.#pairs.push([String(name), String(value)]); this.#changed(); }
    delete(name, value) {
      this.#pairs = this.#pairs.filter(([key, one]) => key !== String(name) || (value !== undefined && one !== String(value)));
      this.#changed();
    }
    get(name) { return this.#pairs.find(([key]) => key === String(name))?.[1] ?? null; }
    getAll(name) { return this.#pairs.filter(([key]) => key === String(name)).map(([, value]) => value); }
    has(name, value) { return this.#pairs.some(([key, one]) => key === String(name) && (value === undefined || one === String(value))); }
    set(name, value) {
      const at = this.#pairs.findIndex(([key]) => key === String(name));
      if (at < 0) this.#pairs.push([String(name), String(value)]);
      else this.#pairs = this.#pairs.flatMap((pair, index) => (index === at ? [[pair[0], String(value)]] : pair[0] === String(name) ? [] : [pair]));
      this.#changed();
    }
    sort() { this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)); this.#changed(); }
    forEach(fn, self) { this.#pairs.forEach(([name, value]) => fn.call(self, value, name, this)); }
    *entries() { yield* this.#pairs.map((pair) => [...pair]); }
    *keys() { for (const [name] of this.#pairs) yield name; }
    *values() { for (const [, value] of this.#pairs) yield value; }
    [Symbol.iterator]() { return this.entries(); }
    toString() { return this.#pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&'); }
  }

  const ports = { 'http:': '80', 'https:': '443', 'ws:': '80', 'wss:': '443', 'ftp:': '21' };
  const escaped = (text, marks) => text.replace(marks, (mark) => encodeURIComponent(mark));
  const plain = (path) => {
    const kept = [];
    const parts = path.split('/');
    parts.forEach((part, at) => {
      if (part === '..') { if (kept.length > 1) kept.pop(); if (at === parts.length - 1) kept.push(''); }
      else if (part === '.') { if (at === parts.length - 1) kept.push(''); }
      else kept.push(part);
    });
    return escaped(kept.join('/'), /[^!-~]|["<>`{}]/gu);
  };
  const shape = /^([a-zA-Z][a-zA-Z0-9+.-]*:)(?:\/\/(?:([^/?#@]*)@)?(\[[^\]]*\]|[^/?#:]*)(?::([0-9]*))?)?([^?#]*)(\?[^#]*)?(#.*)?$/s;
  class URL {
    constructor(given, base) {
      let text = String(given).trim();
      if (!/^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text)) {
        if (base === undefined) throw new TypeError(`Invalid URL: ${text}`);
        const to = new URL(base);
        const folder = to.pathname.slice(0, to.pathname.lastIndexOf('/') + 1);
        const authority = `${to.protocol}//${to.username ? `${to.username}${to.password ? `:${to.password}` : ''}@` : ''}${to.host}`;
        if (text.startsWith('//')) text = to.protocol + text;
        else if (text.startsWith('/')) text = authority + text;
        else if (text.startsWith('?')) text = authority + to.pathname + text;
        else if (text.startsWith('#') || text === '') text = authority + to.pathname + to.search + text;
        else text = authority + folder + text;
      }
      const parts = shape.exec(text);
      if (!parts) throw new TypeError(`Invalid URL: ${text}`);
      this.protocol = parts[1].toLowerCase();
      const isUsual = this.protocol in ports;
      [this.username, this.password] = [(parts[2] ?? '').split(':')[0], (parts[2] ?? '').split(':').slice(1).join(':')];
      this.hostname = (parts[3] ?? '').toLowerCase();
      if (isUsual && (this.hostname === '' || /[\s<>^|%\\]/.test(this.hostname) || Number(parts[4] ?? 0) > 65535)) throw new TypeError(`Invalid URL: ${text}`);
      this.port = parts[4] === undefined || parts[4] === ports[this.protocol] ? '' : parts[4];
      this.pathname = isUsual ? plain(parts[5] || '/') : parts[5];
      this.hash = parts[7] && parts[7] !== '#' ? escaped(parts[7], /[^!-~]|["<>`]/gu) : '';
      let search = parts[6] && parts[6] !== '?' ? escaped(parts[6], /[^!-~]|["<>']/gu) : '';
      const renew = () => new URLSearchParams(search, () => { const now = params.toString(); search = now && `?${now}`; });
      let params = renew();
      Object.defineProperty(this, 'search', {
        enumerable: true,
        get: () => search,
        set: (value) => { const now = String(value).replace(/^\?/, ''); search = now && `?${escaped(now, /[^!-~]|["<>']/gu)}`; params = renew(); },
      });
      Object.defineProperty(this, 'searchParams', { enumerable: true, get: () => params });
    }
    get host() { return this.hostname + (this.port === '' ? '' : `:${this.port}`); }
    set host(value) { [, this.hostname, this.port = ''] = /^(\[[^\]]*\]|[^:]*)(?::([0-9]*))?/.exec(String(value)); }
    get origin() { return this.protocol in ports ? `${this.protocol}//${this.host}` : 'null'; }
    get href() {
      const who = this.username ? `${this.username}${this.password ? `:${this.password}` : ''}@` : '';
      return `${this.protocol}${this.hostname || this.protocol === 'file:' ? '//' : ''}${who}${this.host}${this.pathname}${this.search}${this.hash}`;
    }
    toString() { return this.href; }
    toJSON() { return this.href; }
    static canParse(given, base) { try { return Boolean(new URL(given, base)); } catch { return false; } }
    static parse(given, base) { try { return new URL(given, base); } catch { return null; } }
  }
  return { URL, URLSearchParams };
}

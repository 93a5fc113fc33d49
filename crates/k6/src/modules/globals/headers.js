// The global `Headers`, after the Fetch standard: made when a script first asks for it. Fields are properties, so that one is taken for `params.headers`.
() => {
  const nameOf = (name) => {
    const text = String(name).toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(text)) throw new TypeError(`${text} is no name of a header`);
    return text;
  };
  const valueOf = (value) => String(value).trim();
  class Headers {
    constructor(from) {
      const pairs = from === undefined || from === null ? [] : typeof from[Symbol.iterator] === 'function' ? [...from] : Object.entries(from);
      for (const [name, value] of pairs) this.append(name, value);
    }
    append(name, value) { const key = nameOf(name); this[key] = Object.hasOwn(this, key) ? `${this[key]}, ${valueOf(value)}` : valueOf(value); }
    delete(name) { delete this[nameOf(name)]; }
    get(name) { const key = nameOf(name); return Object.hasOwn(this, key) ? this[key] : null; }
    has(name) { return Object.hasOwn(this, nameOf(name)); }
    set(name, value) { this[nameOf(name)] = valueOf(value); }
    forEach(fn, self) { for (const [name, value] of this) fn.call(self, value, name, this); }
    *entries() { for (const name of Object.keys(this).sort()) yield [name, this[name]]; }
    *keys() { for (const [name] of this.entries()) yield name; }
    *values() { for (const [, value] of this.entries()) yield value; }
    [Symbol.iterator]() { return this.entries(); }
  }
  return { Headers };
}

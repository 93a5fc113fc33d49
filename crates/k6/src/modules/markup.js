// What `k6/html` is made of. A module that runs when something first needs it, since responses of few scripts are read as HTML.
const native = require('weir:html');
const { typed, specials } = require('weir:elements');

class Attribute {
  constructor(owner, name, value) { Object.assign(this, { prefix: '', namespaceURI: '', localName: name, name, value, ownerElement: owner }); }
}

const isElement = (doc, id) => doc('type', id) === 1;
const elementsIn = (doc, id) => doc('children', id).filter((child) => isElement(doc, child));
const along = (doc, id, way) => {
  const found = [];
  for (let at = doc(way, id); at !== undefined && at !== null; at = doc(way, at)) if (isElement(doc, at)) found.push(at);
  return found;
};
const unique = (ids) => {
  const seen = {};
  return ids.filter((id) => !seen[id] && (seen[id] = true));
};

class Element {
  constructor(doc, id) {
    Object.defineProperty(this, 'at', { value: { doc, id } });
  }
  selection() { return new Selection(this.at.doc, [this.at.id]); }
  nodeName() { return this.at.doc('name', this.at.id); }
  nodeType() { return this.at.doc('type', this.at.id); }
  nodeValue() { return this.at.doc('value', this.at.id); }
  namespaceURI() { return this.at.doc('namespace', this.at.id); }
  isDefaultNamespace() { return this.namespaceURI() === 'http://www.w3.org/1999/xhtml'; }
  toString() { return this.nodeType() === 1 ? `[object html.Node]` : String(this.nodeValue() ?? ''); }
  getAttribute(name) { return this.at.doc('attribute', this.at.id, String(name).toLowerCase()); }
  getAttributeNode(name) {
    const value = this.getAttribute(name);
    return value === undefined || value === null ? undefined : new Attribute(this, String(name).toLowerCase(), value);
  }
  hasAttribute(name) { return (this.getAttribute(name) ?? null) !== null; }
  hasAttributes() { return this.at.doc('attributes', this.at.id).length > 0; }
  attributes() {
    return Object.fromEntries(this.at.doc('attributes', this.at.id).map(([name, value]) => [name, new Attribute(this, name, value)]));
  }
  id() { return this.getAttribute('id') ?? ''; }
  className() { return this.getAttribute('class') ?? ''; }
  classList() { return this.className().split(/\s+/).filter(Boolean); }
  lang() {
    for (let id = this.at.id; id !== undefined && id !== null; id = this.at.doc('parent', id)) {
      const lang = this.at.doc('attribute', id, 'lang');
      if (lang) return lang;
    }
    return '';
  }
  textContent() { return this.at.doc('text', this.at.id); }
  innerHTML() { return this.at.doc('inner', this.at.id); }
  hasChildNodes() { return this.at.doc('children', this.at.id).length > 0; }
  childNodes() { return this.at.doc('children', this.at.id).map((id) => element(this.at.doc, id)); }
  children() { return elementsIn(this.at.doc, this.at.id).map((id) => element(this.at.doc, id)); }
  childElementCount() { return elementsIn(this.at.doc, this.at.id).length; }
  firstChild() { return this.childNodes()[0]; }
  lastChild() { return this.childNodes().at(-1); }
  firstElementChild() { return this.children()[0]; }
  lastElementChild() { return this.children().at(-1); }
  previousSibling() { return element(this.at.doc, this.at.doc('previous', this.at.id)); }
  nextSibling() { return element(this.at.doc, this.at.doc('next', this.at.id)); }
  previousElementSibling() { return element(this.at.doc, along(this.at.doc, this.at.id, 'previous')[0]); }
  nextElementSibling() { return element(this.at.doc, along(this.at.doc, this.at.id, 'next')[0]); }
  parentNode() { return element(this.at.doc, this.at.doc('parent', this.at.id)); }
  parentElement() { const parent = this.parentNode(); return parent?.nodeType() === 1 ? parent : undefined; }
  ownerDocument() { return element(this.at.doc, 0); }
  querySelector(selector) { return this.querySelectorAll(selector)[0]; }
  querySelectorAll(selector) { return this.at.doc('select', this.at.id, selector).map((id) => element(this.at.doc, id)); }
  getElementsByTagName(name) { return this.querySelectorAll(name); }
  getElementsByClassName(names) { return this.querySelectorAll(String(names).trim().split(/\s+/).map((name) => `.${name}`).join('')); }
  matches(selector) { return this.at.doc('matches', this.at.id, selector); }
  isSameNode(other) { return other instanceof Element && other.at.doc === this.at.doc && other.at.id === this.at.id; }
  isEqualNode(other) { return other instanceof Element && other.at.doc('outer', other.at.id) === this.at.doc('outer', this.at.id); }
  contains(other) {
    if (!(other instanceof Element) || other.at.doc !== this.at.doc) return false;
    for (let id = other.at.id; id !== undefined && id !== null; id = this.at.doc('parent', id)) if (id === this.at.id) return true;
    return false;
  }
}

// Classes of elements with methods of their own, made when the first of a name is met.
const classes = {};
function classOf(name) {
  if (!(name in typed) && !(name in specials)) return Element;
  return classes[name] ??= (() => {
    const Typed = class extends Element {};
    for (const word of (typed[name] ?? '').split(' ').filter(Boolean)) {
      const [, method, kind, given, attribute] = /^([a-zA-Z]+)(?:([?#=])([^:]*))?(?::(.*))?$/.exec(word);
      const from = attribute ?? method.toLowerCase();
      Typed.prototype[method] = {
        '?': function flag() { return this.hasAttribute(from); },
        '#': function number() { const value = parseInt(this.getAttribute(from), 10); return Number.isNaN(value) ? Number(given) : value; },
        '=': function choice() { return this.getAttribute(from) ?? given; },
      }[kind] ?? function text() { return this.getAttribute(from) ?? ''; };
    }
    return Object.assign(Typed.prototype, specials[name] ?? {}) && Typed;
  })();
}
function element(doc, id) {
  if (id === undefined || id === null) return undefined;
  return new (classOf(doc('name', id)))(doc, id);
}

// What a form's part is worth.
function valueOf(part) {
  const name = part.nodeName();
  if (name === 'textarea') return part.textContent();
  if (name === 'option') return part.getAttribute('value') ?? part.textContent().trim();
  if (name === 'select') {
    const options = part.querySelectorAll('option');
    const chosen = options.filter((option) => option.hasAttribute('selected'));
    if (part.hasAttribute('multiple')) return chosen.map(valueOf);
    const one = chosen.at(-1) ?? options.find((option) => !option.hasAttribute('disabled'));
    return one ? valueOf(one) : undefined;
  }
  const value = part.getAttribute('value');
  if (name === 'input' && /^(checkbox|radio)$/i.test(part.getAttribute('type') ?? '')) return value ?? 'on';
  return value ?? (name === 'input' || name === 'button' ? '' : undefined);
}

const converted = (text) => {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return undefined;
  if (text !== '' && String(Number(text)) === text) return Number(text);
  if (/^[[{]/.test(text)) { try { return JSON.parse(text); } catch { return text; } }
  return text;
};
const camel = (name) => name.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());
const escaped = (text) => encodeURIComponent(text).replace(/%20/g, '+').replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

class Selection {
  constructor(doc, ids, before) {
    Object.defineProperty(this, 'at', { value: { doc, ids, before } });
  }
  #of(ids) { return new Selection(this.at.doc, unique(ids), this); }
  #elements() { return this.at.ids.filter((id) => isElement(this.at.doc, id)); }
  // Whether a node is meant by a selector, a selection, an element or a function.
  #test(by) {
    const { doc } = this.at;
    if (by === undefined) return () => true;
    if (typeof by === 'string') return (id) => doc('matches', id, by);
    if (typeof by === 'function') return (id, index) => Boolean(by(index, new Selection(doc, [id], this)));
    if (by instanceof Selection) return (id) => by.at.ids.includes(id);
    if (by instanceof Element) return (id) => by.at.id === id;
    throw new TypeError('a selector, a selection, an element or a function is expected');
  }
  #walk(step, by) { return this.#of(this.at.ids.flatMap(step).filter(this.#test(by))); }
  #until(step, by, filter) {
    const ends = by === undefined || by === '' ? () => false : this.#test(by);
    const taken = (id) => { const all = step(id); const end = all.findIndex((one) => ends(one)); return end < 0 ? all : all.slice(0, end); };
    return this.#walk(taken, filter);
  }
  #parents() {
    const { doc } = this.at;
    return (id) => { const found = []; for (let at = doc('parent', id); at !== undefined && at !== null && isElement(doc, at); at = doc('parent', at)) found.push(at); return found; };
  }
  add(what) {
    if (typeof what === 'string') return this.#of([...this.at.ids, ...this.at.doc('select', 0, what)]);
    return this.#of([...this.at.ids, ...(what instanceof Selection ? what.at.ids : [what.at.id])]);
  }
  attr(name, fallback) { const id = this.#elements()[0]; return (id === undefined ? undefined : this.at.doc('attribute', id, String(name).toLowerCase())) ?? fallback; }
  children(by) { return this.#walk((id) => elementsIn(this.at.doc, id), by); }
  contents() { return this.#walk((id) => this.at.doc('children', id)); }
  closest(by) {
    const test = this.#test(by);
    const parents = this.#parents();
    return this.#of(this.at.ids.map((id) => [id, ...parents(id)].find((one) => test(one))).filter((id) => id !== undefined));
  }
  data(key) {
    const first = this.get(0);
    if (!first) return undefined;
    if (key !== undefined) {
      const value = first.getAttribute(`data-${String(key).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
      return value === undefined || value === null ? undefined : converted(value);
    }
    const all = this.at.doc('attributes', first.at.id).filter(([name]) => name.startsWith('data-'));
    return Object.fromEntries(all.map(([name, value]) => [camel(name.slice(5)), converted(value)]));
  }
  each(fn) {
    if (typeof fn !== 'function') throw new TypeError('the argument to each() must be a function');
    this.at.ids.forEach((id, index) => fn(index, element(this.at.doc, id)));
    return this;
  }
  end() { return this.at.before ?? new Selection(this.at.doc, []); }
  eq(index) { const id = this.at.ids.at(index); return this.#of(id === undefined ? [] : [id]); }
  filter(by) { return this.#of(this.at.ids.filter(this.#test(by))); }
  find(what) {
    const { doc, ids } = this.at;
    if (typeof what === 'string') {
      const found = ids.flatMap((id) => doc('select', id, what));
      return this.#of(ids.length > 1 ? found.sort((a, b) => a - b) : found);
    }
    const test = this.#test(what);
    return this.#of(ids.flatMap((id) => doc('select', id, '*')).filter(test));
  }
  first() { return this.eq(0); }
  last() { return this.eq(-1); }
  get(index) {
    if (index === undefined) return this.at.ids.map((id) => element(this.at.doc, id));
    return element(this.at.doc, this.at.ids.at(index));
  }
  has(what) {
    const { doc, ids } = this.at;
    const inner = typeof what === 'string' ? undefined : this.#test(what);
    return this.#of(ids.filter((id) => (inner ? doc('select', id, '*').some((one) => inner(one)) : doc('select', id, what).length > 0)));
  }
  html() { const [id] = this.at.ids; return id === undefined ? undefined : this.at.doc('inner', id); }
  index(what) {
    const { doc, ids } = this.at;
    if (ids.length === 0) return -1;
    if (what === undefined) return along(doc, ids[0], 'previous').length;
    if (typeof what === 'string') return doc('select', 0, what).indexOf(ids[0]);
    return ids.indexOf(what instanceof Selection ? what.at.ids[0] : what.at.id);
  }
  is(by) { return this.at.ids.some(this.#test(by)); }
  map(fn) {
    if (typeof fn !== 'function') throw new TypeError('the argument to map() must be a function');
    return this.at.ids.map((id, index) => fn(index, element(this.at.doc, id)));
  }
  next(by) { return this.#walk((id) => along(this.at.doc, id, 'next').slice(0, 1), by); }
  nextAll(by) { return this.#walk((id) => along(this.at.doc, id, 'next'), by); }
  nextUntil(by, filter) { return this.#until((id) => along(this.at.doc, id, 'next'), by, filter); }
  prev(by) { return this.#walk((id) => along(this.at.doc, id, 'previous').slice(0, 1), by); }
  prevAll(by) { return this.#walk((id) => along(this.at.doc, id, 'previous'), by); }
  prevUntil(by, filter) { return this.#until((id) => along(this.at.doc, id, 'previous'), by, filter); }
  parent(by) { const parents = this.#parents(); return this.#walk((id) => parents(id).slice(0, 1), by); }
  parents(by) { return this.#walk(this.#parents(), by); }
  parentsUntil(by, filter) { return this.#until(this.#parents(), by, filter); }
  siblings(by) { return this.#walk((id) => [...along(this.at.doc, id, 'previous').reverse(), ...along(this.at.doc, id, 'next')], by); }
  not(by) { const test = this.#test(by); return this.#of(this.at.ids.filter((id, index) => !test(id, index))); }
  serializeArray() {
    const forms = this.get().flatMap((one) => (one.nodeName() === 'form' ? one.querySelectorAll('input, select, textarea, button') : [one]));
    const counts = (part) => {
      const type = (part.getAttribute('type') ?? '').toLowerCase();
      const isSent = !/^(submit|button|reset|image|file)$/.test(type) && part.nodeName() !== 'button';
      return part.getAttribute('name') && !part.hasAttribute('disabled') && isSent && (!/^(checkbox|radio)$/.test(type) || part.hasAttribute('checked'));
    };
    return forms.filter(counts).flatMap((part) => {
      const name = part.getAttribute('name');
      const value = valueOf(part);
      return Array.isArray(value) ? value.map((one) => ({ name, value: one })) : [{ name, value: value ?? '' }];
    });
  }
  serializeObject() {
    const found = {};
    for (const { name, value } of this.serializeArray()) {
      if (!Object.hasOwn(found, name)) found[name] = value;
      else found[name] = [].concat(found[name], value);
    }
    return found;
  }
  serialize() { return this.serializeArray().map(({ name, value }) => `${escaped(name)}=${escaped(value)}`).join('&'); }
  single(by) { const [id] = this.at.ids.flatMap((one) => this.at.doc('select', one, by)); return this.#of(id === undefined ? [] : [id]); }
  size() { return this.at.ids.length; }
  slice(begin, end) { return this.#of(this.at.ids.slice(begin, end)); }
  text() { return this.at.ids.map((id) => this.at.doc('text', id)).join(''); }
  toArray() { return this.at.ids.map((id) => new Selection(this.at.doc, [id], this)); }
  val() { const first = this.get(0); return first && valueOf(first); }
}

const parseHTML = (text) => new Selection(native.parse(text ?? ''), [0]);

// Methods of responses; `request` sends, as `http.request` does.
function ofResponse(response, selector) {
  if (response.body === null || response.body === undefined) throw new Error("the body is null so we can't transform it to HTML - this likely was because of a request error getting the response");
  const page = parseHTML(typeof response.body === 'string' ? response.body : native.text(response.body));
  return selector === undefined ? page : page.find(selector);
}
function submitForm(response, { formSelector = 'form', submitSelector = '[type="submit"]', fields = {}, params } = {}, request = undefined) {
  const form = ofResponse(response, formSelector).first();
  if (form.size() === 0) throw new Error(`no form found for selector '${formSelector}' in response '${response.url}'`);
  const method = (form.attr('method') || 'GET').toUpperCase();
  const url = native.join(response.url, form.attr('action') ?? '');
  const values = form.serializeObject();
  const button = form.find(submitSelector).first();
  if (button.attr('name')) values[button.attr('name')] = button.val() ?? '';
  Object.assign(values, fields);
  if (method !== 'GET') return request(method, url, values, params);
  const query = Object.entries(values).flatMap(([name, value]) => [].concat(value).map((one) => `${escaped(name)}=${escaped(one)}`)).join('&');
  return request('GET', `${url.split(/[?#]/)[0]}${query && `?${query}`}`, null, params);
}
function clickLink(response, { selector = 'a[href]', params } = {}, request = undefined) {
  const link = ofResponse(response, selector).first();
  if (link.size() === 0) throw new Error(`no element found for selector '${selector}' in response '${response.url}'`);
  const href = link.attr('href');
  if (href === undefined) throw new Error(`no valid href attribute value found on element '${selector}' in response '${response.url}'`);
  return request('GET', native.join(response.url, href), null, params);
}

module.exports = { parseHTML, Selection, Element, ofResponse, submitForm, clickLink };

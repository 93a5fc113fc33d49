// Methods of typed elements. A word is a method that reads the attribute of its name in small letters: `name?` whether it is there, `name#3` a number or 3,
// `name=x` a text or x, `name:y` of the attribute y; a plain one a text or the empty one.
const part = 'formAction formEnctype formMethod formNoValidate? formTarget name disabled? autofocus? tabIndex#0';
const media = 'controls? crossOrigin currentSrc:src defaultMuted?:muted loop? mediaGroup muted? preload src autoplay?';
const cell = 'colSpan#1 rowSpan#1 headers';
const section = '';
const typed = {
  a: 'accessKey download hrefLang href referrerPolicy rel target type', area: 'accessKey download hrefLang href referrerPolicy rel target type',
  base: 'href target', button: `accessKey ${part} type=submit value`, canvas: 'height#150 width#300', data: 'value', time: 'datetime', title: '',
  q: 'cite', blockquote: 'cite', ins: 'cite datetime', del: 'cite datetime', datalist: '', embed: 'height src type width',
  fieldset: 'disabled? name', form: 'acceptCharset:accept-charset action autocomplete=on encoding=application/x-www-form-urlencoded:enctype enctype=application/x-www-form-urlencoded method=get name noValidate? target',
  iframe: 'allowfullscreen? height name referrerPolicy src width',
  img: 'alt crossOrigin currentSrc:src height#0 isMap? name referrerPolicy sizes src srcset useMap width#0',
  input: `accept accessKey alt autocomplete ${part} checked? defaultChecked?:checked defaultValue:value dirName height max maxLength#-1 min multiple? pattern placeholder readonly? required? size#20 src step type=text value width`,
  keygen: 'autofocus? challenge disabled? keytype=rsa name', label: 'htmlFor:for', legend: 'accessKey', li: 'value#0',
  link: 'crossOrigin href hreflang media referrerPolicy rel target type', map: 'name', meta: 'content httpEquiv:http-equiv name',
  meter: 'high low max min optimum', audio: media, video: `${media} height#0 width#0 poster`,
  object: 'data height name tabIndex#0 type typeMustMatch? useMap width', ol: 'reversed? start#1 type=1', ul: 'type', optgroup: 'disabled? label',
  option: 'defaultSelected?:selected disabled? selected?', output: 'htmlFor:for name', param: 'name value', pre: 'name value', progress: 'max#1',
  script: 'async? charset crossOrigin defer? noModule? src type', source: 'keySystem media sizes src srcset type', style: 'media type',
  track: 'default? kind=subtitles label src srclang', select: `autofocus? ${part} multiple? required? size#0`,
  table: 'sortable?', thead: section, tbody: section, tfoot: section, td: cell, th: `${cell} abbr scope sorted`, col: 'span#1', colgroup: 'span#1',
  textarea: `accessKey autocapitalize autocomplete ${part} cols#20 maxLength#-1 placeholder readOnly? required? rows#2 wrap=soft`,
};

const of = (one, selector) => one.querySelectorAll(selector);
const around = (one, name) => { for (let at = one.parentElement(); at; at = at.parentElement()) if (at.nodeName() === name) return at; return undefined; };
const form = { form() { return this.getAttribute('form') ? of(this.ownerDocument(), `form[id="${this.getAttribute('form')}"]`)[0] : around(this, 'form'); } };
const labels = { labels() { return this.id() ? of(this.ownerDocument(), `label[for="${this.id()}"]`) : []; } };
const parts = 'button, fieldset, input, object, output, select, textarea';
const url = (one) => /^(?:([a-zA-Z][a-zA-Z0-9+.-]*:)?\/\/)?(?:([^/?#@]*)@)?([^/?#:]*)(?::([0-9]+))?([^?#]*)(\?[^#]*)?(#.*)?$/.exec(one.getAttribute('href') ?? '') ?? [];
const absolute = (one) => (/^([a-zA-Z][a-zA-Z0-9+.-]*:)?\/\//.test(one.getAttribute('href') ?? '') ? url(one) : [, , , , , ...relative(one)]);
const relative = (one) => (/^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(one.getAttribute('href') ?? '') ?? []).slice(1);
const link = {
  protocol() { return absolute(this)[1] ?? ''; },
  username() { return (absolute(this)[2] ?? '').split(':')[0]; },
  password() { return (absolute(this)[2] ?? '').split(':')[1] ?? ''; },
  hostname() { return absolute(this)[3] ?? ''; },
  port() { return absolute(this)[4] ?? ''; },
  host() { return this.hostname() + (this.port() && `:${this.port()}`); },
  origin() { return this.protocol() && `${this.protocol()}//${this.host()}`; },
  pathname() { return absolute(this)[5] ?? ''; },
  search() { return absolute(this)[6] ?? ''; },
  hash() { return absolute(this)[7] ?? ''; },
  relList() { return this.rel().split(/\s+/).filter(Boolean); },
  text() { return this.textContent(); },
  toString() { return this.href(); },
};
const options = (one) => of(one, 'option');
const chosen = (one) => {
  const all = options(one).filter((option) => option.selected());
  return all.length === 0 && !one.multiple() ? options(one).slice(0, 1) : one.multiple() ? all : all.slice(-1);
};
const row = (one) => one.parentElement();
const specials = {
  a: link, area: link,
  title: { text() { return this.textContent(); } },
  script: { text() { return this.textContent(); } },
  link: { relList() { return this.rel().split(/\s+/).filter(Boolean); } },
  datalist: { options() { return options(this); } },
  button: { ...form, ...labels }, keygen: { ...form, ...labels, type() { return 'keygen'; } }, object: form, legend: form,
  output: { ...form, ...labels, type() { return 'output'; }, value() { return this.textContent(); }, defaultValue() { return this.textContent(); } },
  fieldset: { ...form, type() { return 'fieldset'; }, elements() { return of(this, parts); }, validity() { return undefined; } },
  form: { elements() { return of(this, parts); }, length() { return of(this, parts).length; } },
  input: { ...form, ...labels, list() { return this.getAttribute('list') ? of(this.ownerDocument(), `datalist[id="${this.getAttribute('list')}"]`)[0] : undefined; } },
  label: { ...form, control() { return this.getAttribute('for') ? of(this.ownerDocument(), `[id="${this.getAttribute('for')}"]`)[0] : of(this, parts)[0]; } },
  map: { areas() { return of(this, 'area'); }, images() { return of(this.ownerDocument(), `img[usemap="#${this.name()}"]`); } },
  meter: labels,
  progress: { ...labels, value() { return Number(this.getAttribute('value') ?? 0); }, position() { return this.hasAttribute('value') ? this.value() / this.max() : -1; } },
  option: {
    form() { return around(this, 'form'); },
    text() { return this.textContent().trim(); },
    label() { return this.getAttribute('label') ?? this.text(); },
    value() { return this.getAttribute('value') ?? this.text(); },
    index() { const list = around(this, 'select') ?? around(this, 'datalist'); return list ? options(list).findIndex((one) => one.isSameNode(this)) : 0; },
  },
  select: {
    ...form, ...labels,
    type() { return this.multiple() ? 'select-multiple' : 'select-one'; },
    options() { return options(this); },
    length() { return options(this).length; },
    selectedOptions() { return chosen(this); },
    selectedIndex() { const [one] = chosen(this); return one ? one.index() : -1; },
    value() { return chosen(this)[0]?.value() ?? ''; },
  },
  textarea: {
    ...form, ...labels,
    type() { return 'textarea'; },
    value() { return this.textContent(); },
    defaultValue() { return this.textContent(); },
    length() { return this.textContent().length; },
  },
  table: {
    caption() { return of(this, 'caption')[0]; }, rows() { return of(this, 'tr'); }, tBodies() { return of(this, 'tbody'); },
    tFoot() { return of(this, 'tfoot')[0]; }, tHead() { return of(this, 'thead')[0]; },
  },
  tr: {
    cells() { return this.children().filter((one) => /^t[dh]$/.test(one.nodeName())); },
    rowIndex() { const table = around(this, 'table'); return table ? table.rows().findIndex((one) => one.isSameNode(this)) : -1; },
    sectionRowIndex() { return row(this) ? of(row(this), 'tr').findIndex((one) => one.isSameNode(this)) : -1; },
  },
};
const rows = { rows() { return of(this, 'tr'); } };
const place = { cellIndex() { return row(this) ? row(this).cells().findIndex((one) => one.isSameNode(this)) : -1; } };
Object.assign(specials, { thead: rows, tbody: rows, tfoot: rows, td: place, th: place });

module.exports = { typed, specials };

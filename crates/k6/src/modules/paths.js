// Paths into JSON, of `response.json(path)`. In a module of its own, so that users who ask for none have no room for it.
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

export const at = (value, path) => find(value, steps(path));

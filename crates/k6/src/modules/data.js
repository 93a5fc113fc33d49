// The module `k6/data`: elements are kept once for all users as JSON, and parsed and frozen when they are read.
import { length, read, store } from 'weir:data';

// Kept from before the script runs, which may put something else in their places.
const { parse, stringify } = JSON;
const { freeze: close, values } = Object;

function freeze(value) {
  if (value === null || typeof value !== 'object') return value;
  const inner = values(close(value));
  for (let at = 0; at < inner.length; at++) freeze(inner[at]);
  return value;
}
const refuse = () => { throw new TypeError('SharedArray is immutable'); };

export function SharedArray(name, fn) {
  if (typeof name !== 'string' || name === '') throw new TypeError("empty name provided to SharedArray's constructor");
  if (typeof fn !== 'function') throw new TypeError("a function is expected as the second argument of SharedArray's constructor");
  if (fn.constructor.name === 'AsyncFunction') throw new TypeError('SharedArray constructor does not support async functions as second argument');
  if (length(name) === undefined) {
    const made = fn();
    if (!Array.isArray(made)) throw new TypeError('only arrays can be made into SharedArray');
    store(name, made.map((element) => stringify(element) ?? 'null'));
  }
  const count = length(name);
  const index = (key) => (typeof key === 'string' && /^(0|[1-9][0-9]*)$/.test(key) ? Number(key) : -1);
  const at = (key) => (index(key) >= 0 && index(key) < count ? freeze(parse(read(name, index(key)))) : undefined);
  return new Proxy([], {
    get: (target, key) => (key === 'length' ? count : index(key) >= 0 ? at(key) : target[key]),
    ownKeys: () => [...Array.from({ length: count }, (_, at) => String(at)), 'length'],
    getOwnPropertyDescriptor: (target, key) => {
      if (key === 'length') return { value: count, writable: true, enumerable: false, configurable: false };
      return index(key) >= 0 && index(key) < count ? { value: at(key), writable: true, enumerable: true, configurable: true } : undefined;
    },
    has: (target, key) => (index(key) >= 0 ? index(key) < count : key in target),
    set: refuse, deleteProperty: refuse, defineProperty: refuse, setPrototypeOf: refuse,
  });
}
export default { SharedArray };

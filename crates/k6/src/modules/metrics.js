// The module `k6/metrics`.
import { add, make } from 'weir:metrics';

class Metric {
  #id;
  constructor(kind, name, isTime) {
    this.#id = make(kind, name, Boolean(isTime));
    Object.defineProperty(this, 'name', { value: name, enumerable: true });
  }
  add(value, tags) { return add(this.#id, value, tags); }
}
export class Counter extends Metric { constructor(name, isTime) { super('counter', name, isTime); } }
export class Gauge extends Metric { constructor(name, isTime) { super('gauge', name, isTime); } }
export class Rate extends Metric { constructor(name, isTime) { super('rate', name, isTime); } }
export class Trend extends Metric { constructor(name, isTime) { super('trend', name, isTime); } }
export default { Counter, Gauge, Rate, Trend };

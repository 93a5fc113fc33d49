// What the module `k6/execution` offers. `test.options` is read once and frozen, so that asking for it again costs nothing.
const native = require('weir:execution');

const tags = new Proxy({}, {
  get: (_, key) => (typeof key === 'string' ? native.tag(key) : undefined),
  has: (_, key) => typeof key === 'string' && native.tag(key) !== undefined,
  set: (_, key, value) => { native.setTag(String(key), value); return true; },
  deleteProperty: (_, key) => { native.removeTag(String(key)); return true; },
  ownKeys: () => native.tagKeys(),
  getOwnPropertyDescriptor: (_, key) => {
    const value = native.tag(String(key));
    return value === undefined ? undefined : { value, writable: true, enumerable: true, configurable: true };
  },
});

let metadata;
const told = () => metadata ??= new Proxy({}, {
  set(target, key, value) {
    if (!['string', 'number', 'boolean'].includes(typeof value)) throw new TypeError('only strings, booleans and numbers are accepted as metadata values');
    target[key] = String(value);
    return true;
  },
});
let frozen;
function freeze(value) {
  if (value !== null && typeof value === 'object') Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}

const instance = {
  get currentTestRunDuration() { return native.elapsedMs(); },
  get iterationsCompleted() { return native.iterationsCompleted(); },
  get iterationsInterrupted() { return native.iterationsInterrupted(); },
  get vusActive() { return native.vusActive(); },
  get vusInitialized() { return native.vusInitialized(); },
};
const scenario = {
  get name() { return native.scenarioName(); },
  get executor() { return native.scenarioExecutor(); },
  get startTime() { return native.scenarioStartMs(); },
  get progress() { return native.scenarioProgress(); },
  get iterationInInstance() { return native.iterationInScenario(); },
  get iterationInTest() { return native.iterationInScenario(); },
};
const test = {
  abort(message) { native.abort(message === undefined ? '' : String(message)); },
  fail(message) { native.failTest(message === undefined ? '' : String(message)); },
  get options() { return frozen ??= freeze(JSON.parse(native.optionsJson())); },
};
const vu = {
  get idInInstance() { return native.vuId(); },
  get idInTest() { return native.vuId(); },
  get iterationInInstance() { return native.iterationOfVu(); },
  get iterationInScenario() { return native.iterationOfVu(); },
  get tags() { return tags; },
  metrics: { tags, get metadata() { return told(); } },
};
module.exports = { instance, scenario, test, vu };

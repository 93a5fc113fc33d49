// The globals `AbortController` and `AbortSignal`, after the DOM standard: made when a script first asks for one.
(native) => {
  const { later } = native;
  const failure = (name, message) => Object.assign(new Error(message), { name });
  let abort;
  class AbortSignal {
    #listeners = new Map();
    constructor() { this.aborted = false; this.reason = undefined; this.onabort = null; }
    addEventListener(type, listener, options) { if (type === 'abort' && listener) this.#listeners.set(listener, Boolean(options?.once)); }
    removeEventListener(type, listener) { if (type === 'abort') this.#listeners.delete(listener); }
    throwIfAborted() { if (this.aborted) throw this.reason; }
    static abort(reason) { const signal = new AbortSignal(); abort(signal, reason); return signal; }
    static timeout(ms) {
      const signal = new AbortSignal();
      later(() => abort(signal, failure('TimeoutError', 'the operation took too long')), ms);
      return signal;
    }
    static any(signals) {
      const signal = new AbortSignal();
      const first = [...signals].find((one) => one.aborted);
      if (first) abort(signal, first.reason);
      else for (const one of signals) one.addEventListener('abort', () => abort(signal, one.reason), { once: true });
      return signal;
    }
    static {
      abort = (signal, reason) => {
        if (signal.aborted) return;
        signal.aborted = true;
        signal.reason = reason === undefined ? failure('AbortError', 'the operation was aborted') : reason;
        const event = { type: 'abort', target: signal };
        const listeners = [...signal.#listeners.keys()];
        signal.#listeners.clear();
        signal.onabort?.(event);
        listeners.forEach((listener) => (typeof listener === 'function' ? listener.call(signal, event) : listener.handleEvent(event)));
      };
    }
  }
  class AbortController {
    signal = new AbortSignal();
    abort(reason) { abort(this.signal, reason); }
  }
  return { AbortController, AbortSignal };
}

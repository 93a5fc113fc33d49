// The module `k6/experimental/streams`, after the WHATWG's Streams standard: streams of values with their readers, writers and strategies. The names of what
// is done in steps are those of the standard.

const deferred = () => {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
};
const handled = (promise) => { promise.catch(() => {}); return promise; };
const rejected = (reason) => { const made = deferred(); handled(made.promise); made.reject(reason); return made; };
const method = (object, name) => {
  const found = object?.[name];
  if (found === undefined) return () => undefined;
  if (typeof found !== 'function') throw new TypeError(`${name} must be a function`);
  return (...values) => found.apply(object, values);
};
const promised = (work, ...values) => { try { return Promise.resolve(work(...values)); } catch (error) { return Promise.reject(error); } };
const strategyOf = (given, markDefault) => {
  const mark = given?.highWaterMark === undefined ? markDefault : Number(given.highWaterMark);
  if (Number.isNaN(mark) || mark < 0) throw new RangeError('highWaterMark must be a number from 0');
  if (given?.size !== undefined && typeof given.size !== 'function') throw new TypeError('size must be a function');
  return { mark, size: given?.size ?? (() => 1) };
};
const sizeOf = (state, chunk) => {
  const size = Number((0, state.strategy.size)(chunk));
  if (Number.isNaN(size) || size < 0 || size === Infinity) throw new RangeError('the size of a chunk must be a finite number from 0');
  return size;
};
// What makes values of the classes below, which scripts can not.
const own = Symbol('own');
const states = new WeakMap();
const stateOf = (object, Class) => {
  if (!(object instanceof Class) || !states.has(object)) throw new TypeError(`${Class.name} is expected`);
  return states.get(object);
};

// Streams to read from.

const canEnqueue = (state) => state.is === 'readable' && !state.isCloseRequested;
const sizeWanted = (state) => (state.is === 'errored' ? null : state.is === 'closed' ? 0 : state.strategy.mark - state.sizeTotal);
const pullIfNeeded = (state) => {
  const isWanted = canEnqueue(state) && state.isStarted && (state.reader?.requests.length > 0 || sizeWanted(state) > 0);
  if (!isWanted) return;
  if (state.isPulling) { state.mustPullAgain = true; return; }
  state.isPulling = true;
  promised(state.pull, state.controller).then(() => {
    state.isPulling = false;
    if (state.mustPullAgain) { state.mustPullAgain = false; pullIfNeeded(state); }
  }, (error) => errorReadable(state, error));
};
const errorReadable = (state, error) => {
  if (state.is !== 'readable') return;
  Object.assign(state, { is: 'errored', error, queue: [], sizeTotal: 0 });
  const { reader } = state;
  if (!reader) return;
  reader.closed.reject(error);
  reader.requests.splice(0).forEach((request) => request.reject(error));
};
const closeReadable = (state) => {
  state.is = 'closed';
  const { reader } = state;
  if (!reader) return;
  reader.closed.resolve(undefined);
  reader.requests.splice(0).forEach((request) => request.resolve({ value: undefined, done: true }));
};
const cancelReadable = async (state, reason) => {
  state.isDisturbed = true;
  if (state.is === 'closed') return undefined;
  if (state.is === 'errored') throw state.error;
  Object.assign(state, { queue: [], sizeTotal: 0 });
  closeReadable(state);
  await promised(state.cancel, reason);
  return undefined;
};

export class ReadableStreamDefaultController {
  constructor(key, state) {
    if (key !== own) throw new TypeError('Illegal constructor');
    states.set(this, state);
  }
  get desiredSize() { return sizeWanted(stateOf(this, ReadableStreamDefaultController)); }
  enqueue(chunk) {
    const state = stateOf(this, ReadableStreamDefaultController);
    if (!canEnqueue(state)) throw new TypeError('the stream is closed, so nothing can be enqueued');
    if (state.reader?.requests.length > 0) {
      state.reader.requests.shift().resolve({ value: chunk, done: false });
    } else {
      try {
        const size = sizeOf(state, chunk);
        state.queue.push({ chunk, size });
        state.sizeTotal += size;
      } catch (error) {
        errorReadable(state, error);
        throw error;
      }
    }
    pullIfNeeded(state);
  }
  close() {
    const state = stateOf(this, ReadableStreamDefaultController);
    if (!canEnqueue(state)) throw new TypeError('the stream is closed already');
    state.isCloseRequested = true;
    if (state.queue.length === 0) closeReadable(state);
  }
  error(error) { errorReadable(stateOf(this, ReadableStreamDefaultController), error); }
}

export class ReadableStream {
  constructor(source = {}, strategy = {}) {
    if (source === null || typeof source !== 'object') throw new TypeError('the source of a stream is an object');
    if (source.type !== undefined) {
      if (source.type !== 'bytes') throw new TypeError(`there is no type of streams ${String(source.type)}`);
      throw new RangeError('streams of bytes are not there: use one of values, such as Uint8Array');
    }
    const state = { is: 'readable', queue: [], sizeTotal: 0, strategy: strategyOf(strategy, 1), reader: null };
    Object.assign(state, { pull: method(source, 'pull'), cancel: method(source, 'cancel') });
    state.controller = new ReadableStreamDefaultController(own, state);
    states.set(this, state);
    Promise.resolve(method(source, 'start')(state.controller)).then(() => {
      state.isStarted = true;
      pullIfNeeded(state);
    }, (error) => errorReadable(state, error));
  }
  get locked() { return stateOf(this, ReadableStream).reader !== null; }
  cancel(reason) {
    const state = stateOf(this, ReadableStream);
    if (state.reader) return Promise.reject(new TypeError('the stream has a reader, which alone can cancel it'));
    return cancelReadable(state, reason);
  }
  getReader(options = {}) {
    if (options?.mode !== undefined) throw options.mode === 'byob' ? new RangeError('streams of bytes are not there') : new TypeError('mode must be undefined');
    return new ReadableStreamDefaultReader(this);
  }
  async pipeTo(destination, { preventClose = false, preventAbort = false, preventCancel = false } = {}) {
    const [reader, writer] = [this.getReader(), destination.getWriter()];
    try {
      for (;;) {
        await writer.ready;
        const read = await reader.read().catch(async (error) => { if (!preventAbort) await writer.abort(error); throw error; });
        if (read.done) break;
        handled(writer.write(read.value));
      }
      if (!preventClose) await writer.close();
    } catch (error) {
      if (!preventCancel) await reader.cancel(error).catch(() => {});
      throw error;
    } finally {
      reader.releaseLock();
      writer.releaseLock();
    }
  }
  tee() {
    const reader = this.getReader();
    const controllers = [];
    let isReading = false;
    const reasons = [];
    const canceled = deferred();
    const pull = () => {
      if (isReading) return;
      isReading = true;
      reader.read().then(({ value, done }) => {
        isReading = false;
        controllers.forEach((controller, at) => { if (!(at in reasons)) { if (done) controller.close(); else controller.enqueue(value); } });
        if (done) canceled.resolve(undefined);
      }, (error) => controllers.forEach((controller) => controller.error(error)));
    };
    const branch = (at) => new ReadableStream({
      start(controller) { controllers[at] = controller; },
      pull,
      cancel(reason) {
        reasons[at] = reason;
        if (0 in reasons && 1 in reasons) reader.cancel([...reasons]).then(canceled.resolve, canceled.reject);
        return canceled.promise;
      },
    });
    return [branch(0), branch(1)];
  }
  values({ preventCancel = false } = {}) {
    const reader = this.getReader();
    return {
      async next() {
        const read = await reader.read();
        if (read.done) reader.releaseLock();
        return read;
      },
      async return(value) {
        const canceled = preventCancel ? undefined : reader.cancel(value);
        reader.releaseLock();
        await canceled;
        return { value, done: true };
      },
      [Symbol.asyncIterator]() { return this; },
    };
  }
  [Symbol.asyncIterator](options) { return this.values(options); }
}

export class ReadableStreamDefaultReader {
  constructor(stream) {
    const state = stateOf(stream, ReadableStream);
    if (state.reader) throw new TypeError('the stream has a reader already');
    const reader = { state, requests: [], closed: deferred() };
    handled(reader.closed.promise);
    if (state.is === 'closed') reader.closed.resolve(undefined);
    if (state.is === 'errored') reader.closed.reject(state.error);
    state.reader = reader;
    states.set(this, reader);
  }
  get closed() { return stateOf(this, ReadableStreamDefaultReader).closed.promise; }
  cancel(reason) {
    const { state } = stateOf(this, ReadableStreamDefaultReader);
    return state ? cancelReadable(state, reason) : Promise.reject(new TypeError('the reader has no stream any more'));
  }
  read() {
    const reader = stateOf(this, ReadableStreamDefaultReader);
    const { state } = reader;
    if (!state) return Promise.reject(new TypeError('the reader has no stream any more'));
    state.isDisturbed = true;
    if (state.is === 'closed') return Promise.resolve({ value: undefined, done: true });
    if (state.is === 'errored') return Promise.reject(state.error);
    if (state.queue.length > 0) {
      const { chunk, size } = state.queue.shift();
      state.sizeTotal = Math.max(0, state.sizeTotal - size);
      if (state.isCloseRequested && state.queue.length === 0) closeReadable(state);
      else pullIfNeeded(state);
      return Promise.resolve({ value: chunk, done: false });
    }
    const request = deferred();
    reader.requests.push(request);
    pullIfNeeded(state);
    return request.promise;
  }
  releaseLock() {
    const reader = stateOf(this, ReadableStreamDefaultReader);
    if (!reader.state) return;
    const released = new TypeError('the reader was released');
    if (reader.state.is === 'readable') reader.closed.reject(released);
    else reader.closed = rejected(released);
    reader.state.reader = null;
    reader.state = null;
    reader.requests.splice(0).forEach((request) => request.reject(released));
  }
}

// Streams to write to.

const CLOSE = Symbol('close');
const isClosing = (state) => Boolean(state.closeRequest || state.closeInFlight);
const updateBackpressure = (state) => {
  const isFull = state.strategy.mark - state.sizeTotal <= 0;
  if (state.writer && isFull !== state.isFull) {
    if (isFull) { state.writer.ready = deferred(); handled(state.writer.ready.promise); }
    else state.writer.ready.resolve(undefined);
  }
  state.isFull = isFull;
};
const rejectReady = (writer, error) => {
  writer.ready.reject(error);
  writer.ready = rejected(error);
};
const startErroring = (state, reason) => {
  Object.assign(state, { is: 'erroring', error: reason });
  if (state.writer) rejectReady(state.writer, reason);
  if (!state.writeInFlight && !state.closeInFlight && state.isStarted) finishErroring(state);
};
const rejectClosed = (state) => {
  state.closeRequest?.reject(state.error);
  state.closeRequest = null;
  state.writer?.closed.reject(state.error);
};
const finishErroring = (state) => {
  Object.assign(state, { is: 'errored', queue: [], sizeTotal: 0 });
  state.writeRequests.splice(0).forEach((request) => request.reject(state.error));
  const { pendingAbort } = state;
  state.pendingAbort = null;
  if (!pendingAbort) { rejectClosed(state); return; }
  if (pendingAbort.wasErroring) {
    pendingAbort.reject(state.error);
    rejectClosed(state);
    return;
  }
  promised(state.abort, pendingAbort.reason).then(() => { pendingAbort.resolve(undefined); rejectClosed(state); }, (error) => {
    pendingAbort.reject(error);
    rejectClosed(state);
  });
};
const dealWithRejection = (state, error) => {
  if (state.is === 'writable') startErroring(state, error);
  else if (state.is === 'erroring') finishErroring(state);
};
const processClose = (state) => {
  state.closeInFlight = state.closeRequest;
  state.closeRequest = null;
  state.queue.shift();
  promised(state.close).then(() => {
    state.closeInFlight.resolve(undefined);
    state.closeInFlight = null;
    if (state.is === 'erroring') {
      state.error = undefined;
      state.pendingAbort?.resolve(undefined);
      state.pendingAbort = null;
    }
    state.is = 'closed';
    state.writer?.closed.resolve(undefined);
  }, (error) => {
    state.closeInFlight.reject(error);
    state.closeInFlight = null;
    state.pendingAbort?.reject(error);
    state.pendingAbort = null;
    dealWithRejection(state, error);
  });
};
const processWrite = (state, { chunk, size }) => {
  state.writeInFlight = state.writeRequests.shift();
  promised(state.write, chunk, state.controller).then(() => {
    state.writeInFlight.resolve(undefined);
    state.writeInFlight = null;
    state.queue.shift();
    state.sizeTotal = Math.max(0, state.sizeTotal - size);
    if (!isClosing(state) && state.is === 'writable') updateBackpressure(state);
    advance(state);
  }, (error) => {
    state.writeInFlight.reject(error);
    state.writeInFlight = null;
    dealWithRejection(state, error);
  });
};
const advance = (state) => {
  if (!state.isStarted || state.writeInFlight || state.closeInFlight) return;
  if (state.is === 'erroring') { finishErroring(state); return; }
  const [next] = state.queue;
  if (next === undefined || state.is !== 'writable') return;
  if (next.chunk === CLOSE) processClose(state);
  else processWrite(state, next);
};
const abortWritable = (state, reason) => {
  if (state.is === 'closed' || state.is === 'errored') return Promise.resolve(undefined);
  if (state.pendingAbort) return state.pendingAbort.promise;
  const wasErroring = state.is === 'erroring';
  state.pendingAbort = Object.assign(deferred(), { wasErroring, reason: wasErroring ? undefined : reason });
  const { promise } = state.pendingAbort;
  if (!wasErroring) startErroring(state, reason);
  return promise;
};
const closeWritable = (state) => {
  if (state.is === 'closed' || state.is === 'errored') return Promise.reject(new TypeError(`the stream is ${state.is}, so it can not be closed`));
  if (isClosing(state)) return Promise.reject(new TypeError('the stream is being closed already'));
  state.closeRequest = deferred();
  const { promise } = state.closeRequest;
  if (state.writer && state.isFull && state.is === 'writable') state.writer.ready.resolve(undefined);
  state.queue.push({ chunk: CLOSE, size: 0 });
  advance(state);
  return promise;
};

export class WritableStreamDefaultController {
  constructor(key, state) {
    if (key !== own) throw new TypeError('Illegal constructor');
    states.set(this, state);
  }
  error(error) {
    const state = stateOf(this, WritableStreamDefaultController);
    if (state.is === 'writable') startErroring(state, error);
  }
}

export class WritableStream {
  constructor(sink = {}, strategy = {}) {
    if (sink === null || typeof sink !== 'object') throw new TypeError('the sink of a stream is an object');
    if (sink.type !== undefined) throw new RangeError('there are no types of streams to write to');
    const state = { is: 'writable', queue: [], sizeTotal: 0, strategy: strategyOf(strategy, 1), writer: null, writeRequests: [], isFull: false };
    Object.assign(state, { write: method(sink, 'write'), close: method(sink, 'close'), abort: method(sink, 'abort') });
    state.controller = new WritableStreamDefaultController(own, state);
    states.set(this, state);
    updateBackpressure(state);
    Promise.resolve(method(sink, 'start')(state.controller)).then(() => {
      state.isStarted = true;
      advance(state);
    }, (error) => {
      state.isStarted = true;
      dealWithRejection(state, error);
    });
  }
  get locked() { return stateOf(this, WritableStream).writer !== null; }
  abort(reason) {
    const state = stateOf(this, WritableStream);
    return state.writer ? Promise.reject(new TypeError('the stream has a writer, which alone can abort it')) : abortWritable(state, reason);
  }
  close() {
    const state = stateOf(this, WritableStream);
    return state.writer ? Promise.reject(new TypeError('the stream has a writer, which alone can close it')) : closeWritable(state);
  }
  getWriter() { return new WritableStreamDefaultWriter(this); }
}

export class WritableStreamDefaultWriter {
  constructor(stream) {
    const state = stateOf(stream, WritableStream);
    if (state.writer) throw new TypeError('the stream has a writer already');
    const writer = { state, ready: deferred(), closed: deferred() };
    handled(writer.closed.promise);
    handled(writer.ready.promise);
    if (state.is === 'writable' && (isClosing(state) || !state.isFull) || state.is === 'closed') writer.ready.resolve(undefined);
    if (state.is === 'closed') writer.closed.resolve(undefined);
    if (state.is === 'erroring' || state.is === 'errored') writer.ready = rejected(state.error);
    if (state.is === 'errored') writer.closed.reject(state.error);
    state.writer = writer;
    states.set(this, writer);
  }
  get closed() { return stateOf(this, WritableStreamDefaultWriter).closed.promise; }
  get ready() { return stateOf(this, WritableStreamDefaultWriter).ready.promise; }
  get desiredSize() {
    const { state } = stateOf(this, WritableStreamDefaultWriter);
    if (!state) throw new TypeError('the writer has no stream any more');
    if (state.is === 'errored' || state.is === 'erroring') return null;
    return state.is === 'closed' ? 0 : state.strategy.mark - state.sizeTotal;
  }
  abort(reason) {
    const { state } = stateOf(this, WritableStreamDefaultWriter);
    return state ? abortWritable(state, reason) : Promise.reject(new TypeError('the writer has no stream any more'));
  }
  close() {
    const { state } = stateOf(this, WritableStreamDefaultWriter);
    return state ? closeWritable(state) : Promise.reject(new TypeError('the writer has no stream any more'));
  }
  write(chunk) {
    const writer = stateOf(this, WritableStreamDefaultWriter);
    const { state } = writer;
    if (!state) return Promise.reject(new TypeError('the writer has no stream any more'));
    let size = 1;
    try {
      size = sizeOf(state, chunk);
    } catch (error) {
      if (state.is === 'writable') startErroring(state, error);
    }
    if (writer.state !== state) return Promise.reject(new TypeError('the writer has no stream any more'));
    if (state.is === 'errored' || state.is === 'erroring') return Promise.reject(state.error);
    if (isClosing(state) || state.is === 'closed') return Promise.reject(new TypeError('the stream is closed, so nothing can be written'));
    const request = deferred();
    state.writeRequests.push(request);
    state.queue.push({ chunk, size });
    state.sizeTotal += size;
    updateBackpressure(state);
    advance(state);
    return request.promise;
  }
  releaseLock() {
    const writer = stateOf(this, WritableStreamDefaultWriter);
    if (!writer.state) return;
    const released = new TypeError('the writer was released');
    rejectReady(writer, released);
    writer.closed.reject(released);
    writer.closed = rejected(released);
    writer.state.writer = null;
    writer.state = null;
  }
}

class Strategy {
  constructor(options) {
    if (options === null || typeof options !== 'object' || options.highWaterMark === undefined) throw new TypeError('highWaterMark is needed');
    this.highWaterMark = Number(options.highWaterMark);
  }
}
export class CountQueuingStrategy extends Strategy {
  get size() { return () => 1; }
}
export class ByteLengthQueuingStrategy extends Strategy {
  get size() { return (chunk) => chunk.byteLength; }
}
export default {
  ByteLengthQueuingStrategy, CountQueuingStrategy, ReadableStream, ReadableStreamDefaultController, ReadableStreamDefaultReader, WritableStream,
  WritableStreamDefaultController, WritableStreamDefaultWriter,
};

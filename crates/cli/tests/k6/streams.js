// exit: 0
// holds: checks.passes == 10
// holds: checks.fails == 0
// Streams are read and written in order, wait for whoever is slower, and pass errors on.
import { check } from 'k6';
import { CountQueuingStrategy, ReadableStream, WritableStream } from 'k6/experimental/streams';

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const nameOf = (promise) => promise.then(() => 'none', (error) => error.message);

export default async function () {
  const found = {};
  let pulls = 0;
  let canceled;
  const numbers = new ReadableStream({
    pull(controller) { pulls += 1; controller.enqueue(pulls); if (pulls === 3) controller.close(); },
    cancel(reason) { canceled = reason; },
  }, new CountQueuingStrategy({ highWaterMark: 1 }));
  const reader = numbers.getReader();
  await wait(1);
  found['no more is pulled than wanted'] = pulls === 1;
  const read = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    read.push(value);
  }
  found['all is read in order'] = read.join() === '1,2,3';
  found['and it is closed'] = (await nameOf(reader.closed)) === 'none';
  found['a stream has one reader'] = (() => { try { numbers.getReader(); return false; } catch (error) { return error instanceof TypeError; } })();
  const endless = new ReadableStream({ cancel(reason) { canceled = reason; } });
  await endless.cancel('enough');
  found['what is canceled hears why'] = canceled === 'enough';
  const broken = new ReadableStream({ start(controller) { controller.error(new Error('broken')); } }).getReader();
  found['an error is passed on'] = (await nameOf(broken.read())) === 'broken';

  const written = [];
  const writable = new WritableStream({ async write(chunk) { await wait(2); written.push(chunk); }, close() { written.push('end'); } }, { highWaterMark: 2 });
  const writer = writable.getWriter();
  const first = writer.write(1);
  writer.write(2);
  found['there is no more room'] = writer.desiredSize === 0 && written.length === 0;
  await first;
  await writer.ready;
  await writer.close();
  found['all is written in order'] = written.join() === '1,2,end';
  const failing = new WritableStream({ write() { throw new Error('full'); } }).getWriter();
  failing.closed.catch(() => {});
  failing.ready.catch(() => {});
  found['a sink that fails is told'] = (await nameOf(failing.write(1))) === 'full';
  let aborted;
  await new WritableStream({ abort(reason) { aborted = reason; } }).abort('why');
  found['what is aborted hears why'] = aborted === 'why';
  check(null, found);
}

// exit: 0
// holds: checks.passes == 9
// holds: checks.fails == 0
// What browsers have without an import and k6 has not is there for scripts that name it.
import { check } from 'k6';

export default async function () {
  const controller = new AbortController();
  let heard = 0;
  controller.signal.addEventListener('abort', () => { heard += 1; });
  controller.abort('why');
  controller.abort('again');
  const headers = new Headers({ 'X-One': ' 1 ', 'x-two': '2' });
  headers.append('X-ONE', '3');
  const order = [];
  queueMicrotask(() => order.push('task'));
  await null;
  const begun = performance.now();
  check(null, {
    'URL': () => new URL('../b?c=1#d', 'http://host:80/x/a').href === 'http://host/b?c=1#d',
    'URLSearchParams': () => new URLSearchParams({ a: 'b c' }).toString() === 'a=b+c',
    'btoa and atob': () => atob(btoa('text')) === 'text',
    'structuredClone': () => structuredClone({ a: [new Date(5)] }).a[0].getTime() === 5,
    'queueMicrotask': () => order.join() === 'task',
    'performance': () => begun >= 0 && performance.now() >= begun && Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 1000,
    'AbortController': () => controller.signal.aborted && controller.signal.reason === 'why' && heard === 1,
    'Headers': () => headers.get('x-one') === '1, 3' && headers.has('X-Two') && [...headers.keys()].join() === 'x-one,x-two' && Object.keys(headers).length === 2,
    'TextDecoder': () => new TextDecoder().decode(new TextEncoder().encode('ü')) === 'ü',
  });
}

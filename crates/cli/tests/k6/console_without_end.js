// What console shows has an end, also of structures that have none.
// exit: 0
// stderr: first [ null, null, null,
// stderr: second { x: { x: { x:
// stderr: third [ [ [ [
// stderr: fourth { a: 1, b: [Circular], c: null }
// stderr: done
export default function () {
  console.log('first', new Array(4294967295));
  let tree = {};
  for (let depth = 0; depth < 40; depth++) tree = { x: tree, y: tree };
  console.log('second', tree);
  let nested = [];
  for (let depth = 0; depth < 100000; depth++) nested = [nested];
  console.log('third', nested);
  const circle = { a: 1 };
  circle.b = circle;
  circle.c = null;
  console.log('fourth', circle);
  console.log('done', { get a() { throw new Error('never'); } }, new Proxy([], { get() { throw new Error('never'); } }));
}

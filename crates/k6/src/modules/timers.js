// The module `k6/timers`: what is global too.
const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
export { setTimeout, clearTimeout, setInterval, clearInterval };
export default { setTimeout, clearTimeout, setInterval, clearInterval };

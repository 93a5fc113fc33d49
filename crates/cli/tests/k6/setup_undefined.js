// Nothing stays nothing.
// exit: 0
// stderr: msg="undefined undefined"
export function setup() {}
export default function (data) { console.log(typeof data, data); }

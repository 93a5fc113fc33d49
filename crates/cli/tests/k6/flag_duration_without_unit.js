// args: -d 10
// exit: 255
// stderr: 10
export default function () {}

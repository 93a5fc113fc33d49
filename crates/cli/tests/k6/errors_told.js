// What is said of common mistakes: what, and where.
// args: -i 1
// exit: 0
// stderr: TypeError: user.name is not a function\n\tat default (
// stderr: hint="script exception"
export default function () {
  const user = { name: 'a' };
  user.name();
}

// An exception ends its iteration only, which counts as complete.
// exit: 0
// stderr: level=error msg="ReferenceError: nowhere is not defined
// stderr: uncaught.js:10:
// stderr: executor=shared-iterations hint="script exception" scenario=default source=stacktrace
// stdout: 2 complete and 0 interrupted iterations
// holds: iterations.count == 2
export const options = { iterations: 2 };
export default function () {
  nowhere();
}

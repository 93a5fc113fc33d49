// What ends the test ends the iteration where it is.
// exit: 108
// stderr: test aborted: enough at default (
// no-stderr: caught
// no-stderr: finally
import exec from 'k6/execution';

export default function () {
  try {
    exec.test.abort('enough');
  } catch (error) {
    console.log('caught');
  } finally {
    console.log('finally');
  }
}

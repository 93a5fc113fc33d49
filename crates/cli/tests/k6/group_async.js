// exit: 0
// stderr: group() does not support async functions
// stderr: outer
import { group } from 'k6';

export default function () {
  try {
    group('a', async () => {});
  } catch (error) {
    console.log(error.message);
  }
  group('b', () => console.log('outer'));
}

// An iteration that is cut off ends where it stands, unheard; its user goes on with what its modules hold.
// exit: 0
// stderr: iteration 1 of 2
// no-stderr: caught
// no-stderr: finally
// no-stderr: late
// absent: group_duration
// absent: iterations
import { group, sleep } from 'k6';

export const options = {
  scenarios: {
    a: {
      executor: 'ramping-vus', startVUs: 1, gracefulRampDown: '0s', gracefulStop: '0s',
      stages: [
        { duration: '300ms', target: 1 }, { duration: '0s', target: 0 }, { duration: '300ms', target: 0 },
        { duration: '0s', target: 1 }, { duration: '300ms', target: 1 },
      ],
    },
  },
};

let count = 0;

export default function () {
  count++;
  console.log(`iteration ${__ITER} of ${count}`);
  Promise.resolve().then(() => console.log('late'));
  try {
    group('g', () => sleep(5));
  } catch (error) {
    console.log('caught');
  } finally {
    console.log('finally');
    for (;;);
  }
}

// K6_* stand above the script and below flags.
// args: -e MINE=given
// env: K6_VUS=2 K6_ITERATIONS=4
// exit: 0
// stdout: 4 iterations shared among 2 VUs
// holds: checks.fails == 0
import { check } from 'k6';
export const options = { iterations: 100 };
export default function () { check(__ENV, { mine: (env) => env.MINE === 'given', system: (env) => env.K6_VUS === '2' }); }

// The rest of the time is waited out and is no part of iteration_duration.
// args: --min-iteration-duration 250ms
// exit: 0
// holds: iterations.count >= 4
// holds: iterations.count <= 5
// holds: iteration_duration.max <= 100
export const options = { vus: 1, duration: '1s' };
export default function () {}

// One iteration of one user without options.
// exit: 0
// absent: vus
// stdout: 1 iterations for each of 1 VUs (maxDuration: 10m0s, gracefulStop: 30s)
// holds: iterations.count == 1
export default function () {}

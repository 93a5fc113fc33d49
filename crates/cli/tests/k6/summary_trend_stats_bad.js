// exit: 255
// args: --summary-trend-stats avg,nonsense
// stderr: nonsense
export default function () {}

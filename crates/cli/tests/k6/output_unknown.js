// An output that there is not.
// args: --out foo
// exit: 255
// stderr: invalid output type 'foo', available types are: csv, experimental-prometheus-rw, influxdb, json, web-dashboard
// no-stdout: running
export default function () {}

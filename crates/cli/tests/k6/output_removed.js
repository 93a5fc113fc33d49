// An output that k6 had long ago: said before anything runs.
// args: --out kafka=x
// exit: 255
// stderr: could not create the 'kafka' output: k6 removed it in v0.34; there are csv, experimental-prometheus-rw, influxdb, json, web-dashboard
// no-stdout: running
export default function () {}

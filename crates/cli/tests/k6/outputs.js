// Samples as JSON lines and CSV, each with its metric, value and tags; other outputs are named and left out.
// args: -i 3 --out json=$FOLDER/o.json --out csv=$FOLDER/o.csv --out influxdb=http://me:secret@127.0.0.1:1/k6 --out cloud
// env: K6_WEB_DASHBOARD=true K6_WEB_DASHBOARD_PORT=-1 K6_WEB_DASHBOARD_EXPORT=$FOLDER/page.html
// exit: 0
// stderr: --out: can't send samples to `InfluxDBv1 (http://127.0.0.1:1)`: 127.0.0.1:1: connection refused
// stderr: samples did not get to InfluxDBv1 (http://127.0.0.1:1)
// stderr: --out cloud: nothing is sent to a cloud
// no-stderr: secret
// part: page.html <!doctype html>
// part: page.html outputs.js
// stdout: csv), InfluxDBv1 (http://127.0.0.1:1)
// stdout: output: json (
// part: o.json {"type":"Metric","data":{"name":"mine","type":"trend","contains":"time"
// part: o.json "value":7,"tags":{"colour":"red","group":"::one","scenario":"default"}}}
// part: o.json {"metric":"checks","type":"Point","data":{"time":"20
// part: o.json "value":1,"tags":{"check":"is there","group":"::one","scenario":"default"}}}
// part: o.json {"metric":"http_reqs","type":"Point"
// part: o.json "status":"200"
// part: o.csv metric_name,timestamp,metric_value,check,error,error_code,expected_response,group,method,name,proto,scenario,service,status,subproto,tls_version,url,extra_tags,metadata
// part: o.csv ,1.000000,is there,,,,::one,
// part: o.csv colour=red
// holds: checks.passes == 3
import { check, group } from 'k6';
import http from 'k6/http';
import { Trend } from 'k6/metrics';

const mine = new Trend('mine', true);

export default function () {
  group('one', () => {
    const response = http.get(`${__ENV.URL}/hello`);
    check(response, { 'is there': (r) => r.status === 200 });
    mine.add(7, { colour: 'red' });
  });
}

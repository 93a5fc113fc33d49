// The newer form for machines: in the exported file and in what handleSummary gets, trends with their six values whatever is shown of them.
// args: --new-machine-readable-summary --summary-trend-stats p(99)
// exit: 99
// part: data.json {"config":{"duration":0.
// part: data.json "execution":"local","script":"// The newer form for machines
// part: data.json "metadata":{"generated_at":"20
// part: data.json "k6_version":"2.2.0"},"results":{"checks":{"metrics":[{"contains":"default","name":"checks_total","type":"counter","values":{"count":4}},{"contains":"default","name":"checks_failed","type":"rate","values":{"matches":1,"rate":0.25,"total":4}},{"contains":"default","name":"checks_succeeded","type":"rate","values":{"matches":3,"rate":0.75,"total":4}}],"results":[{"fails":0,"name":"seen","passes":2},{"fails":1,"name":"even","passes":1}]}
// part: data.json {"contains":"time","name":"mine","type":"trend","values":{"avg":3,"max":4,"med":3,"min":2,"p90":3.8,"p95":3.9}}
// part: data.json {"contains":"time","name":"never{a:b}","type":"trend","values":{"avg":0,"max":0,"med":0,"min":0,"p90":0,"p95":0}}
// part: data.json {"contains":"default","name":"level","type":"gauge","values":{"max":1,"min":0,"value":1}}
// part: data.json {"contains":"default","name":"iterations","type":"counter","values":{"count":2}}
// part: data.json "version":"1.0.0"}
// part: export.json         "duration": 0.
// part: export.json     "version": "1.0.0"
import { check } from 'k6';
import { Gauge, Trend } from 'k6/metrics';

const mine = new Trend('mine', true);
const level = new Gauge('level');
new Trend('never', true);
export const options = { iterations: 2, thresholds: { 'never{a:b}': ['avg<1'], mine: ['max<4'] } };

export default function () {
  check(__ITER, { seen: () => true, even: (number) => number % 2 === 0 });
  mine.add(2 + 2 * __ITER);
  level.add(__ITER);
}

export function handleSummary(data) {
  return { [`${__ENV.FOLDER}/data.json`]: JSON.stringify(data) };
}

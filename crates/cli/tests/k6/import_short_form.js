// Short forms of URLs, which k6 gave up.
// exit: 107
// stderr: write the https URL of the file itself
import 'github.com/grafana/k6/samples/http_get.js';

export default function () {}

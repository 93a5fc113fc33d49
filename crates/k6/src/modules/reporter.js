// In the place of the k6-reporter bundle: a small page of a test's thresholds, metrics and checks.
const escaped = (text) => String(text).replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
const number = (value) => (typeof value === 'number' ? (Number.isInteger(value) ? String(value) : value.toFixed(2)) : value === undefined ? '–' : String(value));

function* groupsOf(group) {
  yield group;
  for (const inner of group.groups ?? []) yield* groupsOf(inner);
}
function thresholdRows(metrics) {
  return Object.entries(metrics).flatMap(([name, metric]) => Object.entries(metric.thresholds ?? {}).map(([expression, { ok }]) =>
    `<tr><td>${escaped(name)}</td><td>${escaped(expression)}</td><td class="${ok ? 'good' : 'bad'}">${ok ? 'passed' : 'failed'}</td></tr>`));
}
function trendRows(metrics) {
  const trends = Object.entries(metrics).filter(([, metric]) => metric.type === 'trend');
  const columns = [...new Set(trends.flatMap(([, metric]) => Object.keys(metric.values)))];
  if (trends.length === 0) return '';
  const head = `<tr><th>trend</th>${columns.map((column) => `<th>${escaped(column)}</th>`).join('')}</tr>`;
  const rows = trends.map(([name, { values }]) => `<tr><td>${escaped(name)}</td>${columns.map((column) => `<td class="n">${number(values[column])}</td>`).join('')}</tr>`);
  return `<h2>Times and sizes</h2><table>${head}${rows.join('')}</table>`;
}
function otherRows(metrics) {
  const others = Object.entries(metrics).filter(([, metric]) => metric.type !== 'trend');
  const rows = others.map(([name, { type, values }]) =>
    `<tr><td>${escaped(name)}</td><td>${escaped(type)}</td><td>${Object.entries(values).map(([key, value]) => `${escaped(key)} ${number(value)}`).join(', ')}</td></tr>`);
  return `<h2>Counts, rates, gauges</h2><table>${rows.join('')}</table>`;
}
function checkRows(root) {
  const rows = [...groupsOf(root)].flatMap((group) => (group.checks ?? []).map((check) =>
    `<tr><td>${escaped((group.path ?? group.name ?? '').replace(/^::/, '') || '–')}</td><td>${escaped(check.name)}</td><td class="n">${check.passes}</td><td class="n ${check.fails > 0 ? 'bad' : ''}">${check.fails}</td></tr>`));
  return rows.length === 0 ? '' : `<h2>Checks</h2><table><tr><th>group</th><th>check</th><th>passed</th><th>failed</th></tr>${rows.join('')}</table>`;
}
export function htmlReport(data, options = {}) {
  const title = escaped(options.title || 'k6 load test');
  const metrics = data.metrics ?? {};
  const thresholds = thresholdRows(metrics);
  const failed = Object.values(metrics).flatMap((metric) => Object.values(metric.thresholds ?? {})).filter(({ ok }) => !ok).length;
  const style = 'body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:72em;padding:0 1em;color:#222}table{border-collapse:collapse;margin:0 0 1.5em}'
    + 'th,td{padding:.2em .8em;border-bottom:1px solid #ddd;text-align:left}.n{text-align:right;font-variant-numeric:tabular-nums}.good{color:#166534}.bad{color:#b91c1c;font-weight:600}'
    + '@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}th,td{border-color:#333}.good{color:#4ade80}.bad{color:#f87171}}';
  const seconds = (data.state?.testRunDurationMs ?? 0) / 1000;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style></head><body>`
    + `<h1>${title}</h1><p>${number(metrics.http_reqs?.values.count ?? 0)} requests, ${number(metrics.iterations?.values.count ?? 0)} iterations, ${number(seconds)} s, `
    + `<span class="${failed > 0 ? 'bad' : 'good'}">${failed} of ${thresholds.length} thresholds failed</span></p>`
    + `${thresholds.length > 0 ? `<h2>Thresholds</h2><table>${thresholds.join('')}</table>` : ''}${trendRows(metrics)}${otherRows(metrics)}${checkRows(data.root_group ?? {})}</body></html>`;
}
export default { htmlReport };

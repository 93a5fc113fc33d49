// In the place of jslib's k6-summary: the same texts, made natively.
import { humanize, jUnitText, text } from 'weir:summary';
export const textSummary = (data, options = {}) => text(JSON.stringify(data), JSON.stringify(options));
export const humanizeValue = (value, metric, timeUnit) => humanize(value, metric.type, metric.contains, timeUnit);
export const jUnit = (data, options = {}) => jUnitText(JSON.stringify(data), options.name, options.classname);

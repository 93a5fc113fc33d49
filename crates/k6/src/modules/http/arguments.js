// What requests of the module `k6/http` take: files, URLs with names, statuses that are expected.
const native = require('weir:http');

// Part of a form that is a file.
function file(data, filename, contentType) {
  const made = {
    data,
    filename: filename === undefined ? native.fileName() : String(filename),
    content_type: contentType === undefined ? 'application/octet-stream' : String(contentType),
  };
  Object.defineProperty(made, '__file', { value: true });
  return made;
}

// http.url`…`: the URL, and a name in which every substitution is `${}`.
function url(parts, ...values) {
  const text = parts.reduce((text, part, at) => text + part + (at < values.length ? String(values[at]) : ''), '');
  return { __url: text, name: parts.join('${}'), toString() { return text; } };
}

const expectedStatuses = (...ranges) => {
  if (ranges.length === 0) throw new TypeError('no arguments');
  const isRange = (one) => Number.isInteger(one) || (one && Number.isInteger(one.min) && Number.isInteger(one.max));
  ranges.forEach((one, at) => {
    if (!isRange(one)) throw new TypeError(`argument number ${at + 1} to expectedStatuses was neither an integer nor an object like {min:100, max:329}`);
  });
  return native.expectedStatuses(ranges);
};
const setResponseCallback = (callback) => native.setResponseCallback(callback);

module.exports = { file, url, expectedStatuses, setResponseCallback };

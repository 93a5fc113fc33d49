// Rows of comma-separated values, RFC 4180: a quoted field may hold anything, a quote in it is written twice.
// Strict: all rows have as many fields as the first, and a quote stands at a field's begin or not at all.
export function* rows(text, delimiter = ',', isStrict = false) {
  const lineOf = (place) => text.slice(0, place).split('\n').length;
  let count;
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (at < text.length) {
    const row = [];
    const rowBegin = at;
    for (;;) {
      let field = '';
      if (text[at] === '"') {
        at += 1;
        for (;;) {
          const end = text.indexOf('"', at);
          if (end < 0) throw new Error('a quoted field is not closed');
          field += text.slice(at, end);
          at = end + 1;
          if (text[at] !== '"') break;
          field += '"';
          at += 1;
        }
      }
      const begin = at;
      while (at < text.length && text[at] !== delimiter && text[at] !== '\n') at += 1;
      field += text.slice(begin, at);
      if (isStrict && text.slice(begin, at).includes('"')) {
        const column = text.indexOf('"', begin) - text.lastIndexOf('\n', begin - 1);
        throw new Error(`failed to read record; reason: parse error on line ${lineOf(begin)}, column ${column}: bare " in non-quoted-field`);
      }
      const isLast = text[at] !== delimiter;
      if (isLast && field.endsWith('\r')) field = field.slice(0, -1);
      row.push(field);
      at += 1;
      if (isLast) break;
    }
    if (row.length === 1 && row[0] === '') continue;
    count ??= row.length;
    if (isStrict && row.length !== count) throw new Error(`failed to read record; reason: record on line ${lineOf(rowBegin)}: wrong number of fields`);
    yield row;
  }
}

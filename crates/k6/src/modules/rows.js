// Rows of comma-separated values, RFC 4180: a quoted field may hold anything, a quote in it is written twice.
export function* rows(text, delimiter = ',') {
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (at < text.length) {
    const row = [];
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
      const isLast = text[at] !== delimiter;
      if (isLast && field.endsWith('\r')) field = field.slice(0, -1);
      row.push(field);
      at += 1;
      if (isLast) break;
    }
    if (row.length > 1 || row[0] !== '') yield row;
  }
}

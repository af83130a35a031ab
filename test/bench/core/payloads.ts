/** A tool's arguments or result of about so many bytes as JSON: a few fields, then rows of what tools bring back. */
export function payloadOf(bytes: number): object {
  const rows: object[] = [];
  const payload = {
    path: '/srv/app/src/index.ts',
    limit: 200,
    recursive: true,
    pattern: 'open\\(.*\\)',
    rows,
  };
  for (let line = 1; JSON.stringify(payload).length < bytes; line += 1) {
    rows.push({
      line,
      text: `  const value${line} = read("file ${line}", { encoding: 'utf8' });`,
      score: line / 7,
      kind: 'match',
    });
  }
  return payload;
}

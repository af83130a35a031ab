const ROW = 16;

/** The first bytes as hexadecimal and text, sixteen a line. */
export function bytesLines(bytes: Uint8Array, limit = 256): readonly string[] {
  const lines: string[] = [];
  for (let start = 0; start < Math.min(bytes.length, limit); start += ROW) {
    const row = [...bytes.subarray(start, Math.min(start + ROW, limit))];
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const text = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${start.toString(16).padStart(4, '0')}  ${hex.padEnd(ROW * 3 - 1)}  ${text}`);
  }
  return bytes.length > limit ? [...lines, `… ${bytes.length - limit} more`] : lines;
}

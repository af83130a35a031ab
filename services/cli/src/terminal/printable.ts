/** Text of a transcript as one line that a terminal can show: no control or direction characters, bounded. */
export function printable(text: string, limit = 80): string {
  const plain = text
    .slice(0, limit * 8)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  const characters = [...plain];
  return characters.length <= limit ? plain : `${characters.slice(0, limit - 1).join('')}…`;
}

/** Control and direction characters, which can drive a terminal or reorder its text; line breaks apart. */
export const UNPRINTABLE = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Text of several lines that a terminal can show. */
export function printableLines(text: string): string {
  return text.replace(UNPRINTABLE, ' ');
}

/** A duration for people: "850 ms", "12 s", "3 min 5 s", "2 h 10 min". */
export function spanText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return pair([minutes, 'min'], [seconds % 60, 's']);
  return pair([Math.floor(minutes / 60), 'h'], [minutes % 60, 'min']);
}

/** "1 run", "3 runs". */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** Numbers in order as ranges: "1–10, 12". */
export function rangesText(numbers: readonly number[], limit = 12): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && number === last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  const shown = ranges.slice(-limit).map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`));
  return (ranges.length > limit ? '…, ' : '') + shown.join(', ');
}

function pair([big, bigUnit]: [number, string], [small, smallUnit]: [number, string]): string {
  return small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`;
}

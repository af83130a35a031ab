const ISO = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)$/i;
const DAY_MS = 86_400_000;

/**
 * Epoch milliseconds of an ISO 8601 time with a date, a time and an offset; null: it is none. Written out
 * because the platform reads a time without an offset in the zone of whatever machine it runs on.
 */
export function readIsoTime(text: string): number | null {
  const found = ISO.exec(text);
  if (found === null) return null;
  const [, year, month, day, hour, minute, second = '0', fraction = '0', offset = 'Z'] = found;
  const date = { year: Number(year), month: Number(month), day: Number(day) };
  const time = { hour: Number(hour), minute: Number(minute), second: Number(second) };
  const shift = offsetMinutes(offset);
  if (!isDate(date) || time.hour > 23 || time.minute > 59 || time.second > 59 || shift === null) return null;
  const minutes = time.hour * 60 + time.minute - shift;
  const milliseconds = Math.floor(Number(`0.${fraction}`) * 1000);
  return daysSinceEpoch(date) * DAY_MS + minutes * 60_000 + time.second * 1000 + milliseconds;
}

interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

function isDate({ year, month, day }: CalendarDate): boolean {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day >= 1 && day <= (lengths[month - 1] ?? 0);
}

/** Counts from the first of March, so that the leap day is the last of its year. */
function daysSinceEpoch({ year, month, day }: CalendarDate): number {
  const marchYear = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leapDays + dayOfYear - 719_468;
}

function offsetMinutes(offset: string): number | null {
  if (offset.toUpperCase() === 'Z') return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(-2));
  if (hours > 23 || minutes > 59) return null;
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

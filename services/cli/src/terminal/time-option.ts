import { type Outcome, refuse, succeed } from '../user-error.ts';

/** A time that a flag names, epoch milliseconds; null: the flag is not there. */
export function timeOption(flag: string, text: string | undefined): Outcome<number | null> {
  if (text === undefined) return succeed(null);
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return succeed(time);
  const example = 'such as 2026-01-31T12:00:00Z';
  return refuse('bad_time', `${flag} must be a time in ISO 8601, ${example}, and is "${text}".`);
}

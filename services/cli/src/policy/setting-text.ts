import type { Explained } from '@loopwarden/detection';
import { spanText } from '../terminal/printable.ts';

/** A setting's value for people. */
export function settingText(setting: string, value: Explained['value']): string {
  if (setting === 'loopwarden.idle' && typeof value === 'number') return spanText(value);
  return value === null ? 'unset' : String(value);
}

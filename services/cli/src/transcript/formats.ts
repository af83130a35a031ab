import type { JsonObject } from '../json-value.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { publicEvents } from './events.ts';
import type { TranscriptFormat } from './format.ts';
import { openclaw } from './openclaw.ts';

/** Every transcript that can be replayed. No line is of two formats. */
const FORMATS: readonly TranscriptFormat[] = [publicEvents, openclaw, claudeCode, codex];

/** What a file must hold to be replayed, for people. */
export const EXPECTED = `JSON lines of one of: ${FORMATS.map(({ name }) => name).join('; ')}`;

export function formatOf(line: JsonObject): TranscriptFormat | null {
  return FORMATS.find((format) => format.recognises(line)) ?? null;
}

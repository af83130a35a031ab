import type { JsonObject } from '../json-value.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { publicEvents } from './events.ts';
import type { TranscriptFormat } from './format.ts';
import { openclaw } from './openclaw.ts';

/** Every transcript that can be replayed. A line is of the first format that knows it. */
const FORMATS: readonly TranscriptFormat[] = [openclaw, claudeCode, codex, publicEvents];

/** What a file must hold to be replayed, for people. */
export const EXPECTED = `JSON lines of one of: ${FORMATS.map(({ name }) => name).join('; ')}`;

export function formatOf(line: JsonObject): TranscriptFormat | null {
  return FORMATS.find((format) => format.recognises(line)) ?? null;
}

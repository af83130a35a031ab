import { isObject, type JsonObject } from '../json-value.ts';
import type { TranscriptFormat } from './format.ts';
import type { PublicEvent } from './public-event.ts';

const TYPES = new Set(['attach', 'tool_call', 'tool_result', 'compaction', 'run_end', 'policy', 'release']);

/** The public JSON form of events, one a line. */
export const publicEvents: TranscriptFormat = {
  id: 'events',
  name: 'events, each with "runId" and a "type" such as "tool_call" or "tool_result"',
  recognises: (line) => toEvent(line) !== null,
  open: () => ({
    read: (line) => {
      const event = toEvent(line);
      return event === null ? null : [event];
    },
    end: () => [],
  }),
};

/** Policy events belong to no run; whatever they name as one is left out. */
function toEvent({ runId, ...line }: JsonObject): PublicEvent | null {
  const { type } = line;
  if (typeof type !== 'string' || !TYPES.has(type)) return null;
  if (type === 'policy') return isObject(line.policy) ? { ...line, type } : null;
  return typeof runId === 'string' ? { ...line, type, runId } : null;
}

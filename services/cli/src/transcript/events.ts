import { isObject, type JsonObject } from '../json-value.ts';
import type { TranscriptFormat } from './format.ts';
import { asEvent, type PublicEvent } from './public-event.ts';

/** The public JSON form of events, one a line. */
export const publicEvents: TranscriptFormat = {
  id: 'events',
  name: 'events, each with "runId" and a "type" such as "tool_call" or "tool_result"',
  recognises: ({ type, runId, policy }) =>
    type === 'policy' ? isObject(policy) : typeof type === 'string' && typeof runId === 'string',
  open: () => ({
    read: (line) => (isMeant(line) ? [toEvent(line)] : null),
    end: () => [],
  }),
};

/** Whether a line is meant as an event. What is wrong with it, a misspelt type too, its reader says. */
function isMeant(line: JsonObject): boolean {
  return 'type' in line || 'runId' in line;
}

/** Policy events belong to no run; whatever they name as one is left out. */
function toEvent(line: JsonObject): PublicEvent {
  const { runId: _, ...rest } = line;
  return asEvent(line.type === 'policy' ? rest : line);
}

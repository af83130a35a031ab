import type { TranscriptFormat } from './format.ts';
import type { PublicEvent } from './public-event.ts';

/** For specs: the events that a format makes of lines, the ends of open runs included. */
export function eventsOf(format: TranscriptFormat, lines: readonly object[]): readonly PublicEvent[] {
  const reader = format.open({ path: 'x.jsonl', claim: (session) => session });
  const events = lines.flatMap((line) => reader.read({ ...line }) ?? []);
  return [...events, ...reader.end()];
}

/** For specs: events as short words, "run type detail". */
export function told(events: readonly PublicEvent[]): readonly string[] {
  return events.map(({ runId, type, tool, retry, status }) =>
    [runId, type, tool ?? retry ?? status].filter((word) => word !== undefined).join(' '),
  );
}

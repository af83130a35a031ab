import type { Seen } from '../simulation/world.ts';
import { codec } from '../station.ts';
import type { LoadReport } from './load-process.ts';

/** Every event that was acknowledged stands in the log, in the order of its run. */
export function checkEvents({ ledger }: Seen, { sequences, garbage }: LoadReport): readonly string[] {
  const heights = new Map<string, number>();
  const wrongs: string[] = [];
  let unread = 0;
  for (const { value } of ledger.pages.flatMap(({ events }) => events)) {
    const event = codec.decodeEvent(value ?? new Uint8Array());
    if (!event.ok) unread += 1;
    else if (event.value.type !== 'policy') {
      const { runId, sequence } = event.value;
      const height = heights.get(runId) ?? 0;
      if (sequence > height + 1) wrongs.push(`${runId} goes from event ${height} to ${sequence}`);
      heights.set(runId, Math.max(height, sequence));
    }
  }
  for (const [runId, sequence] of sequences)
    if (heights.get(runId) !== sequence)
      wrongs.push(`${runId} ends at ${heights.get(runId)}, not ${sequence}`);
  if (unread < garbage) wrongs.push(`${garbage - unread} records that are no events were lost`);
  return wrongs;
}

import type { Verdict } from '@loopwarden/detection';
import type { InRecord, ReadFrom } from '@loopwarden/stream';
import type { OpenedLog } from '../open-log.ts';
import { readRecords } from '../records/read-records.ts';
import { FirstTime } from './first-time.ts';

interface HeardVerdict {
  readonly verdict: Verdict;
  readonly record: InRecord;
}

interface Following {
  readonly from: ReadFrom;
  readonly signal: AbortSignal;
}

/** Follows all partitions of the control topic until the signal aborts; each verdict is handed over once. */
export async function followVerdicts(
  opened: OpenedLog,
  { from, signal }: Following,
  hear: (heard: HeardVerdict) => void,
): Promise<void> {
  const topic = opened.topics.control;
  const firstTime = new FirstTime();
  const follow = async (partition: number): Promise<void> => {
    for await (const record of readRecords(opened, { topic, partition, from, until: 'never', signal })) {
      const verdict = verdictOf(opened, record);
      if (verdict !== null && firstTime.isFirst(verdict)) hear({ verdict, record });
    }
  };
  const ranges = await opened.log.reader.ranges(topic);
  await Promise.all(ranges.map(({ partition }) => follow(partition)));
}

/** Null: a mark, or nothing that can be read. */
function verdictOf({ codec }: OpenedLog, { value }: InRecord): Verdict | null {
  const decoded = value === null ? null : codec.decodeControl(value);
  return decoded?.ok && decoded.value.type === 'verdict' ? decoded.value.verdict : null;
}

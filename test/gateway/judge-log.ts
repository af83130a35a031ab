import {
  compilePolicy,
  judge,
  openPartition,
  type PolicyDocument,
  type ReadEvent,
} from '@loopwarden/detection';
import type { Connection } from '@loopwarden/gateway';
import { HEADERS } from '@loopwarden/wire';

/**
 * Detection on the first partition of a log, over a connection of its own, as another process has it. Ends when the
 * log is closed; a mark ends every batch.
 */
export async function judgeLog(
  { log, codec }: Connection,
  { policy, prefix }: { policy: PolicyDocument; prefix: string },
): Promise<void> {
  const partition = openPartition({ policy: compilePolicy(policy), revision: -1 });
  const writer = log.writer();
  const control = { topic: `${prefix}control`, partition: 0, headers: { [HEADERS.lineage]: '0' } };
  const read = { topic: `${prefix}events`, partition: 0, from: 'start', until: 'never' } as const;
  for await (const { records, end } of log.reader.read(read)) {
    const verdicts = records.flatMap(({ value, timestamp }) => {
      const decoded = codec.decodeEvent(value ?? new Uint8Array());
      if (!decoded.ok) throw new Error(decoded.detail);
      return judge(partition, decoded.value as ReadEvent, timestamp).verdicts;
    });
    const offset = records.at(-1)?.offset ?? -1;
    await writer.append([
      ...verdicts.map((verdict) => ({
        ...control,
        key: verdict.runId,
        value: codec.encodeVerdict(verdict),
      })),
      { ...control, key: null, value: codec.encodeMark({ partition: 0, offset, end }) },
    ]);
  }
}

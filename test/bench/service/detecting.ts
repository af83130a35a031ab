import { runDetector, SILENT, systemTime, type TopicNames } from '@loopwarden/detector/parts';
import type { Log } from '@loopwarden/stream';
import { codec } from './fleet.ts';

/** The detector as the service runs it, without its logger. `progress` hears how far each partition is judged. */
export async function detecting(
  log: Log,
  topics: TopicNames,
  progress: (partition: number, judged: number) => void = () => undefined,
): Promise<() => Promise<void>> {
  const [writer, stateWriter] = [log.writer(), log.writer()];
  const context = {
    topics,
    reader: log.reader,
    writer,
    stateWriter,
    codec,
    findSchema: async () => null,
    operatorKeys: null,
    maxRuns: 1_000_000,
    time: systemTime,
    facts: {
      ...SILENT,
      progress: (at: { partition: number; judged: number }) => progress(at.partition, at.judged),
    },
  };
  const detector = await runDetector({ context, log, group: topics.events, clientId: 'bench' });
  return async () => {
    await detector.close();
    await Promise.all([writer.close(), stateWriter.close()]);
  };
}

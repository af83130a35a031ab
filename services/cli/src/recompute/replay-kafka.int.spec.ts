import { verdictId } from '@loopwarden/detection';
import { topicsOf } from '@loopwarden/schemas';
import { kafkaLog } from '@loopwarden/stream/kafka';
import { createEmbeddedCodec } from '@loopwarden/wire';
import { describe, expect, it, onTestFinished } from 'vitest';
import { kafkaUnderTest, uniqueName } from '../../../../test/setup/kafka.ts';
import { loadConfig } from '../config/load-config.ts';
import { explainVerdict } from '../explain/explain-verdict.ts';
import { readRevisions } from '../policy/revisions.ts';
import { judgedOn, publishedIn } from '../testing/judged-log.ts';
import { topicNames } from '../topic-names.ts';
import type { Finding } from './replay-listener.ts';
import { replayLog } from './replay-log.ts';

const kafka = await kafkaUnderTest();

/** A cluster's topics, judged. */
async function judgedTopics() {
  const prefix = `${uniqueName('replay')}.`;
  const log = kafkaLog({ brokers: kafka?.brokers ?? [] });
  onTestFinished(() => log.close());
  await log.admin.apply(topicsOf({ prefix, partitions: 3 }));
  const loaded = loadConfig({ topicsPrefix: prefix, detectorGroup: prefix }, 'operate', {});
  if (!loaded.ok) throw new Error(loaded.error.message);
  const codec = createEmbeddedCodec();
  const topics = topicNames(prefix);
  const opened = { log, codec, findSchema: async () => null, topics, place: 'kafka' };
  return judgedOn({ opened, config: loaded.value.config, dataDir: '' });
}

describe.skipIf(kafka === null)('a log on Kafka', () => {
  it('is judged again from a time on, and each verdict explained', async () => {
    const log = await judgedTopics();
    const { opened, gateway } = log;
    for (const run of ['r-1', 'r-2', 'r-3']) await gateway.loop(run, 5);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const since = Date.now();
    await gateway.loop('r-1', 2);
    await log.judge();
    const published = await publishedIn(log);
    const whole = await replay(opened, 0);
    expect(whole).toEqual(published.map(() => 'equal'));
    expect(await replay(opened, since)).toEqual(['equal', 'equal']);
    for (const { verdict, record } of published) {
      const name = { runId: verdict.runId, epoch: verdict.epoch, sequence: verdict.sequence };
      const explained = await explainVerdict(opened, name, { keys: null, maxRuns: 1000 });
      expect(explained, verdictId(verdict)).toMatchObject({
        ok: true,
        value: { state: 'equal', published: { position: record.offset } },
      });
    }
  });
});

async function replay(opened: Parameters<typeof replayLog>[0], since: number): Promise<string[]> {
  const found: Finding[] = [];
  const nothing = (): void => undefined;
  const revisions = await readRevisions(opened, null);
  await replayLog(opened, {
    settings: { since, runId: null, agentId: null, other: null, revisions, keys: null, maxRuns: 1000 },
    until: null,
    listener: {
      found: (finding) => void found.push(finding),
      other: nothing,
      changed: nothing,
      revived: nothing,
    },
    progress: { begin: nothing, add: nothing },
  });
  return found.map(({ state }) => state);
}

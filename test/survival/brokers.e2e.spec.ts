import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Cluster, startCluster } from '../setup/cluster.ts';
import { kafkaUnderTest } from '../setup/kafka.ts';
import { expectUnharmed, openTrial } from './trials.ts';

const kafka = await kafkaUnderTest();
const NODES = [1, 2, 3];

describe.skipIf(kafka === null)('brokers of three that are killed and come back', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 3 });
  });
  afterAll(() => cluster?.stop());

  it('two in turn, then all at once: no verdict is missing, none is said in two ways', async () => {
    const { brokers } = cluster;
    const place = () => ({ kind: 'kafka', brokers, prefix: 'trial.', takeoverMs: null }) as const;
    const trial = await openTrial({ place, perSecond: 600 });
    trial.startDetector({ product: true });
    trial.startDetector({ product: true });
    trial.startLoad();
    await trial.advances();
    for (const number of [3, 2]) {
      await cluster.node(number).kill();
      await trial.advances();
      await cluster.node(number).start();
      await trial.advances();
    }
    await Promise.all(NODES.map((number) => cluster.node(number).kill()));
    await Promise.all(NODES.map((number) => cluster.node(number).start()));
    await trial.advances();
    await expectUnharmed(trial);
  });
});

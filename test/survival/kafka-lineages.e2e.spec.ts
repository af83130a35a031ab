import { describe } from 'vitest';
import { kafkaUnderTest, uniqueName } from '../setup/kafka.ts';
import { lineageTrials } from './lineage-trials.ts';

const kafka = await kafkaUnderTest();

describe.skipIf(kafka === null)('detectors on Kafka that must begin a lineage', () => {
  const brokers = kafka?.brokers ?? [];
  lineageTrials(() => ({ kind: 'kafka', brokers, prefix: `${uniqueName('trial')}.`, takeoverMs: null }));
});

import { kafkaLog } from '@loopwarden/stream/kafka';
import { describe, expect, it } from 'vitest';
import { kafkaUnderTest } from '../../setup/kafka.ts';

const kafka = await kafkaUnderTest();

describe.skipIf(kafka === null)('the broker of the tests', () => {
  it('answers, and so does the registry', async () => {
    const log = kafkaLog({ brokers: kafka?.brokers ?? [] });
    expect(Array.isArray(await log.admin.topics())).toBe(true);
    await log.close();
    expect((await fetch(`${kafka?.registry}/subjects`)).status).toBe(200);
  });
});

import { Kafka, logLevel } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { kafkaUnderTest } from '../../setup/kafka.ts';

const kafka = await kafkaUnderTest();

describe.skipIf(kafka === null)('the broker of the tests', () => {
  it('answers, and so does the registry', async () => {
    if (kafka === null) return;
    const admin = new Kafka({ brokers: [...kafka.brokers], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    expect((await admin.describeCluster()).brokers.length).toBe(kafka.brokers.length);
    await admin.disconnect();
    expect((await fetch(`${kafka.registry}/subjects`)).status).toBe(200);
  });
});

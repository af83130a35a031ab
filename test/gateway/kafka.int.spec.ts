import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type Gateway } from '@loopwarden/gateway';
import { openKafka } from '@loopwarden/gateway/kafka';
import type { Log } from '@loopwarden/stream';
import { registerSchemas, writeSchemaIds } from '@loopwarden/stream/kafka';
import { registrySubjects } from '@loopwarden/wire';
import { afterAll, describe, expect, it } from 'vitest';
import { SMALL } from '../given.ts';
import { kafkaUnderTest, uniqueName } from '../setup/kafka.ts';
import { judgeLog } from './judge-log.ts';

const kafka = await kafkaUnderTest();

describe.skipIf(kafka === null)('a gateway on Kafka', () => {
  const prefix = `${uniqueName('gateway')}.`;
  const brokers = kafka?.brokers ?? [];
  const url = kafka?.registry ?? '';
  const dir = mkdtempSync(join(tmpdir(), 'loopwarden-gateway-'));
  const schemaIds = join(dir, 'ids.json');
  const logs: Log[] = [];
  const gateways: Gateway[] = [];

  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await Promise.all(logs.map((log) => log.close()));
    rmSync(dir, { recursive: true, force: true });
  });

  it('does not open where the schemas are not registered', async () => {
    await expect(openKafka({ brokers, prefix, registry: { url } })).rejects.toMatchObject({
      code: 'refused',
    });
  });

  it('stops a looping run at exactly the call that the policy says, with ids from a file and no registry', async () => {
    const registered = await registerSchemas({ url }, registrySubjects(prefix));
    await writeSchemaIds(
      schemaIds,
      registered.map(({ subject, version, id }) => ({ subject, version, id: id ?? 0 })),
    );
    const theirs = await openKafka({ brokers, prefix, registry: { url } });
    logs.push(theirs.log);
    const spec = { cleanup: 'delete', retentionMs: 3_600_000, timestamps: 'append', partitions: 1 } as const;
    const topics = ['events', 'control', 'policies'];
    await theirs.log.admin.apply(topics.map((name) => ({ ...spec, name: `${prefix}${name}` })));
    void judgeLog(theirs, { policy: SMALL, prefix });
    const gateway = await connect({
      log: await openKafka({ brokers, prefix, schemaIds }),
      gatewayId: 'gw',
      prefix,
      strict: { deadlineMs: 30_000, onDeadline: 'closed' },
    });
    gateways.push(gateway);
    const run = gateway.run({ runId: 'r' });
    const ran: boolean[] = [];
    for (let turn = 1; turn <= 6; turn += 1) {
      const call = await run.guard('read', { path: '/a' }, () => 'same');
      ran.push(call.ran);
    }
    expect(ran).toEqual([true, true, true, true, true, false]);
    expect(gateway.stats()).toMatchObject({ undecided: 0, late: 0, warnings: 1, vetoes: 1 });
  });
});

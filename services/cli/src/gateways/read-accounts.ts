import type { GatewayEvent } from '@loopwarden/detection';
import type { ReadFrom } from '@loopwarden/stream';
import { readLineage, readTrigger } from '@loopwarden/wire';
import type { OpenedLog } from '../open-log.ts';
import { readRecords } from '../records/read-records.ts';
import type { GatewayAccount } from './gateway-account.ts';
import { Obedience, type PublishedVerdict } from './obedience.ts';

/** What every gateway in the log made of verdicts, from a time on; by name. */
export async function readAccounts(opened: OpenedLog, from: ReadFrom): Promise<readonly GatewayAccount[]> {
  const accounts = new Map<string, GatewayAccount>();
  const ranges = await opened.log.reader.ranges(opened.topics.events);
  for (const { partition } of ranges) {
    const obedience = new Obedience(await verdictsOf(opened, partition, from), accounts);
    const read = { topic: opened.topics.events, partition, from, until: 'end' } as const;
    for await (const { value, offset, timestamp } of readRecords(opened, read)) {
      const decoded = value === null ? null : opened.codec.decodeEvent(value);
      if (!decoded?.ok || !isGatewayEvent(decoded.value)) continue;
      obedience.take({ event: decoded.value, offset, at: timestamp });
    }
  }
  return [...accounts.values()].sort((a, b) => (a.gatewayId < b.gatewayId ? -1 : 1));
}

async function verdictsOf(opened: OpenedLog, partition: number, from: ReadFrom): Promise<PublishedVerdict[]> {
  const verdicts: PublishedVerdict[] = [];
  const read = { topic: opened.topics.control, partition, from, until: 'end' } as const;
  for await (const { value, timestamp, headers } of readRecords(opened, read)) {
    const decoded = value === null ? null : opened.codec.decodeControl(value);
    const lineage = readLineage(headers);
    if (!decoded?.ok || decoded.value.type !== 'verdict' || lineage === null) continue;
    const trigger = readTrigger(headers)?.offset ?? null;
    verdicts.push({ verdict: decoded.value.verdict, lineage, at: timestamp, trigger });
  }
  return verdicts;
}

const OTHERS: readonly string[] = ['policy', 'release', 'unknown'];

function isGatewayEvent(event: { readonly type: string }): event is GatewayEvent {
  return !OTHERS.includes(event.type);
}

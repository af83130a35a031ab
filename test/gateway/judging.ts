import {
  compilePolicy,
  type GatewayEvent,
  judge,
  openPartition,
  type Partition,
  type PolicyDocument,
  type ReadEvent,
  renewPartition,
  type Verdict,
} from '@loopwarden/detection';
import { current } from '@loopwarden/schemas';
import type { InRecord } from '@loopwarden/stream';
import type { MemoryBroker } from '@loopwarden/stream/memory';
import { type Codec, HEADERS } from '@loopwarden/wire';

export const EVENTS = 'loopwarden.events';
export const CONTROL = 'loopwarden.control';
export const POLICIES = 'loopwarden.policies';

const UNKNOWN_ID = 99_999;

interface Line {
  readonly partition: Partition;
  /** Offset of the next event to judge. */
  position: number;
  lineage: number;
}

/** Detection itself behind a log in memory, moved by the test: it judges when it is told to. */
export class Judging {
  readonly #broker: MemoryBroker;
  readonly #codec: Codec;
  readonly #lines: Line[];

  constructor(broker: MemoryBroker, codec: Codec, policy: PolicyDocument) {
    this.#broker = broker;
    this.#codec = codec;
    this.#lines = broker.partitions(EVENTS).map(() => ({
      partition: openPartition({ policy: compilePolicy(policy), revision: -1 }),
      position: 0,
      lineage: 0,
    }));
  }

  /** Judges what was appended since, partition by partition; a batch in which somebody waits ends with a mark. */
  catchUp(): void {
    for (const partition of this.#lines.keys()) this.judge(partition);
  }

  judge(partition: number, most = Number.POSITIVE_INFINITY): void {
    const line = this.#line(partition);
    const records = this.#broker.records(EVENTS, partition).filter(({ offset }) => offset >= line.position);
    const batch = records.slice(0, most);
    for (const record of batch) {
      line.position = record.offset + 1;
      for (const verdict of this.#judged(line, record)) this.publish(verdict, partition);
    }
    if (batch.some(({ headers }) => HEADERS.mark in headers)) this.mark(partition);
  }

  /** Says how far the partition is judged. */
  mark(partition: number, offset = this.#line(partition).position - 1): void {
    const value = this.#codec.encodeMark({ partition, offset, end: this.#line(partition).position });
    this.append(partition, { key: null, value });
  }

  markAll(): void {
    for (const partition of this.#lines.keys()) this.mark(partition);
  }

  /** A detector without state takes over: what stands is said anew in a new lineage. */
  renew(partition: number, lineage: number): void {
    const line = this.#line(partition);
    line.lineage = lineage;
    for (const verdict of renewPartition(line.partition, lineage)) this.publish(verdict, partition);
    this.mark(partition);
  }

  publish(verdict: Verdict, partition: number, lineage = this.#line(partition).lineage): void {
    this.append(partition, { key: verdict.runId, value: this.#codec.encodeVerdict(verdict), lineage });
  }

  /** Puts a record into a partition of `control` as it is. */
  append(
    partition: number,
    { key, value, lineage }: { key: string | null; value: Uint8Array; lineage?: number },
  ): void {
    const headers = { [HEADERS.lineage]: String(lineage ?? this.#line(partition).lineage) };
    this.#put(CONTROL, partition, { key, value, headers });
  }

  /** A verdict of a kind that this version does not know. */
  publishUnknown(verdict: Verdict, partition: number): void {
    const { schema } = current['loopwarden.control.Verdict'];
    this.#codec.addSchema(UNKNOWN_ID, { ...schema, name: 'LaterVerdict' });
    const value = Buffer.from(this.#codec.encodeVerdict(verdict));
    value.writeUInt32BE(UNKNOWN_ID, 1);
    this.append(partition, { key: verdict.runId, value });
  }

  /** An operator's event of a run. */
  release(runId: string, partition: number): void {
    const value = this.#codec.encodeEvent({
      type: 'release',
      runId,
      agentId: null,
      sessionId: null,
      gatewayId: 'operator',
      source: `operator-${this.#line(partition).position}`,
      sequence: 1,
      observedAt: 0,
      match: null,
      epoch: null,
      actor: 'somebody',
      reason: 'looked at it',
    });
    this.#put(EVENTS, partition, { key: runId, value, headers: {} });
  }

  /** A policy for gateways; detection here goes on with the one it was opened with. */
  policy(document: unknown, headers: Record<string, string> = {}): void {
    const policy = JSON.stringify(document);
    const value = this.#codec.encodePolicyRevision({ policy, actor: 'somebody', reason: 'test' });
    this.#put(POLICIES, 0, { key: null, value, headers });
  }

  /** What gateways wrote, in order. */
  events(partition = 0): GatewayEvent[] {
    return this.#broker.records(EVENTS, partition).map((record) => this.#decoded(record) as GatewayEvent);
  }

  #judged(line: Line, record: InRecord): readonly Verdict[] {
    return judge(line.partition, this.#decoded(record), record.timestamp).verdicts;
  }

  #decoded({ value, offset }: InRecord): ReadEvent {
    const decoded = this.#codec.decodeEvent(value ?? new Uint8Array());
    if (!decoded.ok) throw new Error(`event ${offset}: ${decoded.detail}`);
    return decoded.value;
  }

  #put(
    topic: string,
    partition: number,
    record: { key: string | null; value: Uint8Array; headers: Record<string, string> },
  ): void {
    const log = this.#broker.partition(topic, partition);
    log.append({ topic, partition, ...record }, { now: this.#broker.clock.now(), timestamps: 'append' });
    log.wake();
  }

  #line(partition: number): Line {
    const line = this.#lines[partition];
    if (line === undefined) throw new Error(`there is no partition ${partition}`);
    return line;
  }
}

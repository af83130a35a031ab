import {
  type Attach,
  type Decision,
  decide,
  describeCall,
  describeOutcome,
  endRun,
  type GatewayEvent,
  type Hash,
  handOut,
  hear,
  hearMark,
  openStandings,
  type Policy,
  type RawCall,
  type RawOutcome,
  type RunStatus,
} from '@loopwarden/detection';
import { type LogWriter, partitionOf } from '@loopwarden/stream';
import { readLineage } from '@loopwarden/wire';
import type { OpenedLog } from '../open-log.ts';
import { readRecords } from '../records/read-records.ts';

interface DemoGatewayOptions {
  readonly gatewayId: string;
  /** One start of the gateway. */
  readonly source: string;
  readonly policy: Policy;
  readonly hash: Hash;
}

/** One run as its host sees it. */
export interface DemoRun {
  /** Asked before each call. A warning that it returns counts as handed to the model. */
  beforeCall(call: RawCall): Promise<Decision>;
  afterCall(outcome: RawOutcome): Promise<void>;
  compacted(): Promise<void>;
  end(status: RunStatus): Promise<void>;
}

/** The least that a gateway does: it writes what its runs do, follows the control topic, and obeys. */
export class DemoGateway {
  readonly #opened: OpenedLog;
  readonly #options: DemoGatewayOptions;
  readonly #standings = openStandings();
  readonly #writer: LogWriter;

  constructor(opened: OpenedLog, options: DemoGatewayOptions) {
    this.#opened = opened;
    this.#options = options;
    this.#writer = opened.log.writer();
  }

  /** Follows the control topic from its end until the signal aborts; runs may begin at once. */
  async follow(signal: AbortSignal): Promise<void> {
    const { log, topics } = this.#opened;
    const ranges = await log.reader.ranges(topics.control);
    await Promise.all(ranges.map(({ partition, end }) => this.#hear(partition, end, signal)));
  }

  async run(runId: string, agentId: string): Promise<DemoRun> {
    const { policy, hash, gatewayId, source } = this.#options;
    const { profiles } = policy;
    let sequence = 0;
    const write = (fields: EventFields): Promise<void> => {
      sequence += 1;
      const whose = { runId, agentId, sessionId: null, gatewayId, source, sequence, observedAt: Date.now() };
      return this.#write({ ...whose, ...fields } as GatewayEvent);
    };
    const made = { callId: null, profiles: profiles.version, keyId: null, payload: null, seen: null };
    await write({ type: 'attach' });
    return {
      beforeCall: async (raw) => {
        const call = describeCall(raw, profiles, hash);
        const decision = decide(this.#standings, { runId, ...call });
        const { action, verdict } = decision;
        if (action === 'block' || action === 'abort') {
          const refused = { outcome: 'vetoed', digest: null, missingTool: null, durationMs: null } as const;
          await write({ type: 'tool_result', ...made, ...call, ...refused, verdict: refOf(verdict) });
        } else {
          const delivered = action === 'warn' && verdict !== null ? [handOut(this.#standings, verdict)] : [];
          await write({ type: 'tool_call', ...made, ...call, delivered, despite: null });
        }
        return decision;
      },
      afterCall: async (outcome) => {
        const call = describeCall(outcome, profiles, hash);
        const came = describeOutcome(outcome, profiles, hash);
        await write({ type: 'tool_result', ...made, ...call, ...came, verdict: null, durationMs: null });
      },
      compacted: () => write({ type: 'compaction', retry: true }),
      end: async (status) => {
        await write({ type: 'run_end', status, verdict: null });
        endRun(this.#standings, runId);
      },
    };
  }

  async #write(event: GatewayEvent): Promise<void> {
    const { codec, topics, log } = this.#opened;
    const ranges = await log.reader.ranges(topics.events);
    const partition = partitionOf(event.runId, ranges.length);
    const value = codec.encodeEvent(event);
    await this.#writer.append([{ topic: topics.events, partition, key: event.runId, value }]);
  }

  async #hear(partition: number, end: number, signal: AbortSignal): Promise<void> {
    const { codec, topics } = this.#opened;
    const following = {
      topic: topics.control,
      partition,
      from: { offset: end },
      until: 'never',
      signal,
    } as const;
    for await (const { value, headers } of readRecords(this.#opened, following)) {
      const decoded = value === null ? null : codec.decodeControl(value);
      const lineage = readLineage(headers) ?? 0;
      if (!decoded?.ok) continue;
      if (decoded.value.type === 'verdict')
        hear(this.#standings, decoded.value.verdict, { partition, lineage });
      if (decoded.value.type === 'mark') hearMark(this.#standings, decoded.value.mark, lineage);
    }
  }
}

type OwnFields<E extends GatewayEvent> = E extends GatewayEvent ? Omit<E, keyof Omit<Attach, 'type'>> : never;
type EventFields = OwnFields<GatewayEvent>;

function refOf(verdict: Decision['verdict']): { epoch: number; sequence: number } | null {
  return verdict === null ? null : { epoch: verdict.epoch, sequence: verdict.sequence };
}

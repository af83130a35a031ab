import { connect, type Gateway, type Run } from '@loopwarden/gateway';
import type { TopicSpec } from '@loopwarden/stream';
import { createMemoryLog, type MemoryBroker } from '@loopwarden/stream/memory';
import { createEmbeddedCodec } from '@loopwarden/wire';
import { ManualClock } from '../gateway/manual-clock.ts';
import type { Adapter, Answered, Happening, Reaction, RecordedRecord, Scenario } from './scenario.ts';

/** Our own SDK under the kit, in this process. */
export class SdkAdapter implements Adapter {
  #clock = new ManualClock();
  #broker: MemoryBroker | undefined;
  #gateway: Gateway | undefined;
  #runs = new Map<string, Run>();
  #answers: Record<string, Answered> = {};
  #named = '';
  #told = 0;

  async start({ gateway, now, policies }: Pick<Scenario, 'gateway' | 'now' | 'policies'>): Promise<Reaction> {
    this.#clock = new ManualClock(now);
    this.#broker = createMemoryLog({ clock: this.#clock, topics: TOPICS });
    this.#put(policies);
    const { strict, ...options } = gateway;
    const log = {
      log: this.#broker.connect('gateway'),
      codec: createEmbeddedCodec(),
      findSchema: async () => null,
    };
    this.#gateway = await connect({
      log,
      clock: this.#clock,
      startId: 'kit',
      ...options,
      ...(strict === null ? {} : { strict }),
    });
    return this.#reaction();
  }

  async happen(happening: Happening): Promise<Reaction> {
    if ('runId' in happening) this.#named = happening.runId;
    this.#does(happening);
    return this.#reaction();
  }

  async stop(): Promise<void> {
    const closed = this.#gateway?.close({ withinMs: 1 });
    await settled();
    this.#clock.advance(1);
    await closed;
  }

  #does(happening: Happening): void {
    switch (happening.do) {
      case 'serve':
        this.#serve(happening.runId, happening.agentId);
        break;
      case 'call':
        this.#call(happening);
        break;
      case 'result':
        this.#run().afterCall(happening);
        break;
      case 'compacted':
        this.#run().compacted({ retry: happening.retry });
        break;
      case 'end':
        this.#run().end(happening.status);
        break;
      case 'hear':
        this.#put(happening.records);
        break;
      case 'pass':
        this.#clock.advance(happening.ms);
    }
  }

  #serve(runId: string, agentId: string): void {
    const run = this.#gateway?.run({ runId, agentId });
    if (run !== undefined) this.#runs.set(runId, run);
  }

  #call(call: Extract<Happening, { do: 'call' }>): void {
    this.#answers[call.callId] = 'waits';
    void this.#run()
      .beforeCall(call)
      .then(({ action }) => {
        this.#answers[call.callId] = action;
      });
  }

  #run(): Run {
    const run = this.#runs.get(this.#named);
    if (run === undefined) throw new Error(`The scenario does not serve ${this.#named}.`);
    return run;
  }

  async #reaction(): Promise<Reaction> {
    await settled();
    const events = this.#broker?.records('loopwarden.events', 0) ?? [];
    const fresh = events.slice(this.#told);
    this.#told = events.length;
    return {
      answers: { ...this.#answers },
      events: fresh.map(({ value }) => Buffer.from(value ?? []).toString('base64')),
      aborted: this.#runs.get(this.#named)?.signal.aborted ?? false,
    };
  }

  #put(records: readonly RecordedRecord[]): void {
    for (const { topic, partition, key, headers, value } of records) {
      const log = this.#broker?.partition(`loopwarden.${topic}`, partition);
      const record = { topic, partition, key, headers, value: Buffer.from(value, 'base64') };
      log?.append(record, { now: this.#clock.now(), timestamps: 'append' });
      log?.wake();
    }
  }
}

const TOPICS: readonly TopicSpec[] = ['events', 'control', 'policies'].map((name) => ({
  name: `loopwarden.${name}`,
  partitions: 1,
  cleanup: 'delete',
  retentionMs: null,
  timestamps: 'append',
}));

/** Lets everything that is under way in the log in memory arrive. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

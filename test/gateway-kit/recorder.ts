import {
  compilePolicy,
  judge,
  openPartition,
  type Partition,
  type PolicyDocument,
  type ReadEvent,
  renewPartition,
  type Verdict,
} from '@loopwarden/detection';
import { createEmbeddedCodec, HEADERS } from '@loopwarden/wire';
import { SMALL } from '../given.ts';
import { observed } from './play.ts';
import type {
  Answered,
  Expected,
  GatewayUnderTest,
  Happening,
  Reaction,
  RecordedRecord,
  Scenario,
  Step,
} from './scenario.ts';
import { SdkAdapter } from './sdk-adapter.ts';

const START = 1_800_000_000_000;
const PLAIN: GatewayUnderTest = { gatewayId: 'gateway', strict: null, onStale: 'open' };
const CALL = { tool: 'read', args: { path: '/a' } };
const RUN = 'run';

interface Surroundings {
  readonly gateway?: Partial<GatewayUnderTest>;
  readonly policy?: PolicyDocument;
}

/** Records a scenario: a person says what happens and what is answered, detection itself says what stands in `control`. */
export class Recorder {
  readonly #codec = createEmbeddedCodec();
  readonly #adapter = new SdkAdapter();
  readonly #partition: Partition;
  readonly #gateway: GatewayUnderTest;
  readonly #policies: RecordedRecord[];
  readonly #steps: Step[] = [];
  #reaction: Reaction = { answers: {}, events: [], aborted: false };
  #unjudged: { value: string; at: number }[] = [];
  #heard: RecordedRecord[] = [];
  #offsets = { events: 0, control: 0, policies: 0 };
  #lineage = 0;
  #now = START;

  constructor({ gateway = {}, policy = SMALL }: Surroundings = {}) {
    this.#gateway = { ...PLAIN, ...gateway };
    this.#partition = openPartition({ policy: compilePolicy(policy), revision: 0 });
    this.#policies = [this.#policy(policy)];
  }

  async finish(name: string, promise: string): Promise<Scenario> {
    await this.#adapter.stop();
    const { steps, policies } = { steps: this.#steps, policies: this.#policies };
    return { name, promise, gateway: this.#gateway, now: START, policies, steps };
  }

  async serve(): Promise<void> {
    if (this.#steps.length === 0) {
      await this.#adapter.start({ gateway: this.#gateway, now: START, policies: this.#policies });
    }
    await this.#step({ do: 'serve', runId: RUN, agentId: 'agent' });
  }

  async call(
    callId: string,
    answer: Answered,
    over: { tool?: string; unstoppable?: boolean } = {},
  ): Promise<void> {
    await this.#step({ do: 'call', runId: RUN, callId, ...CALL, ...over });
    this.answered(callId, answer);
  }

  /** What a call was answered, now or by what happened since. */
  answered(callId: string, answer: Answered): void {
    const given = this.#reaction.answers[callId];
    if (given !== answer) throw new Error(`${callId} was answered ${given}, not ${answer}`);
  }

  async result(callId: string, tool = CALL.tool): Promise<void> {
    await this.#step({ do: 'result', runId: RUN, callId, ...CALL, tool, result: 'same' });
  }

  /** A call, its result if it may run, and what detection makes of it. */
  async turn(callId: string, answer: Answered, tool = CALL.tool): Promise<void> {
    await this.call(callId, answer, { tool });
    if (answer === 'allow' || answer === 'warn') await this.result(callId, tool);
    await this.judged();
  }

  compacted = (retry = true): Promise<void> => this.#step({ do: 'compacted', runId: RUN, retry });
  end = (status: 'completed' | 'aborted'): Promise<void> => this.#step({ do: 'end', runId: RUN, status });

  async pass(ms: number): Promise<void> {
    this.#now += ms;
    await this.#step({ do: 'pass', ms });
  }

  /** Detection judges what was written, and the gateway hears of it; a mark comes last where it is asked for. */
  async judged({ mark = this.#gateway.strict !== null } = {}): Promise<void> {
    const records = this.#judge().map((verdict) => this.#verdict(verdict));
    if (mark) records.push(this.#mark(this.#offsets.events - 1));
    await this.hear(records);
  }

  /** Detection judges, and the gateway never hears of it. */
  lost(): void {
    for (const verdict of this.#judge()) this.#verdict(verdict);
  }

  /** Records are heard, new ones or ones that were heard before. */
  async hear(records: readonly RecordedRecord[]): Promise<void> {
    if (records.length === 0) return;
    this.#heard.push(...records);
    await this.#step({ do: 'hear', records });
  }

  /** Verdicts heard so far, as the log would bring them once more. */
  again(which: (verdict: Verdict) => boolean, lineage = this.#lineage): RecordedRecord[] {
    return this.#heard.flatMap(({ means }) =>
      'action' in (means as object) && which(means as Verdict)
        ? [this.#verdict(means as Verdict, lineage)]
        : [],
    );
  }

  mark = (offset: number): Promise<void> => this.hear([this.#mark(offset)]);

  /** What is said from now on is of a new lineage. */
  takenOver(): void {
    this.#lineage = this.#now;
  }

  /** A detector that lost its state, but for the runs, takes over and says what stands. */
  async renewed(): Promise<void> {
    this.takenOver();
    const verdicts = renewPartition(this.#partition, this.#lineage);
    await this.hear([
      ...verdicts.map((verdict) => this.#verdict(verdict)),
      this.#mark(this.#offsets.events - 1),
    ]);
  }

  policy = (document: PolicyDocument): Promise<void> => this.hear([this.#policy(document)]);

  /** An operator lifts everything of the run. */
  release(): void {
    const value = this.#codec.encodeEvent({
      type: 'release',
      runId: RUN,
      agentId: null,
      sessionId: null,
      gatewayId: 'operator',
      source: 'operator-1',
      sequence: 1,
      observedAt: 0,
      match: null,
      epoch: null,
      actor: 'somebody',
      reason: 'looked at it',
    });
    this.#unjudged.push({ value: Buffer.from(value).toString('base64'), at: this.#now });
  }

  async #step(happening: Happening): Promise<void> {
    const before = this.#reaction.answers;
    this.#reaction = await this.#adapter.happen(happening);
    const expect: Expected = observed({ before, reaction: this.#reaction });
    this.#steps.push({ ...happening, expect });
    this.#offsets.events += this.#reaction.events.length;
    this.#unjudged.push(...this.#reaction.events.map((value) => ({ value, at: this.#now })));
  }

  #judge(): Verdict[] {
    const events = this.#unjudged;
    this.#unjudged = [];
    return events.flatMap(({ value, at }) => {
      const decoded = this.#codec.decodeEvent(Buffer.from(value, 'base64'));
      if (!decoded.ok) throw new Error(decoded.detail);
      return judge(this.#partition, decoded.value as ReadEvent, at).verdicts;
    });
  }

  #verdict(verdict: Verdict, lineage = this.#lineage): RecordedRecord {
    const value = this.#codec.encodeVerdict(verdict);
    return this.#control({ key: verdict.runId, value, means: verdict, lineage });
  }

  #mark(offset: number): RecordedRecord {
    const mark = { partition: 0, offset, end: this.#offsets.events };
    return this.#control({
      key: null,
      value: this.#codec.encodeMark(mark),
      means: mark,
      lineage: this.#lineage,
    });
  }

  #control({
    lineage,
    ...record
  }: {
    key: string | null;
    value: Uint8Array;
    means: unknown;
    lineage: number;
  }) {
    return this.#record('control', { ...record, headers: { [HEADERS.lineage]: String(lineage) } });
  }

  #policy(document: PolicyDocument): RecordedRecord {
    const means = { policy: JSON.stringify(document), actor: 'somebody', reason: 'the kit' };
    return this.#record('policies', {
      key: null,
      value: this.#codec.encodePolicyRevision(means),
      means,
      headers: {},
    });
  }

  #record(
    topic: 'control' | 'policies',
    record: Pick<RecordedRecord, 'key' | 'means' | 'headers'> & { value: Uint8Array },
  ): RecordedRecord {
    const offset = this.#offsets[topic]++;
    const value = Buffer.from(record.value).toString('base64');
    return { topic, partition: 0, offset, timestamp: this.#now, ...record, value };
  }
}

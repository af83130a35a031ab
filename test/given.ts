import {
  compilePolicy,
  type Digest,
  judge,
  type LoopEvent,
  type Note,
  openPartition,
  type Partition,
  type PolicyDocument,
  type Verdict,
} from '@loopwarden/detection';

/** Fields that most events of a test leave at their defaults. */
type Fields<T extends LoopEvent['type']> = Partial<Extract<LoopEvent, { type: T }>> & { at?: number };

const BASE = {
  runId: 'run',
  agentId: 'agent',
  sessionId: null,
  gatewayId: 'gw',
  source: 'gw-1',
  observedAt: 0,
};
const TOOL = {
  callId: null,
  tool: 'read',
  args: digestOf('a'),
  poll: false,
  profiles: 'p',
  keyId: null,
  payload: null,
};

/** A digest that a test can write as a short word, and `told` writes as that word again. */
export function digestOf(word: string): Digest {
  return Array.from(word, (letter) => letter.charCodeAt(0).toString(16))
    .join('')
    .padEnd(32, '0');
}

function wordOf(digest: Digest | null): string {
  const letters = digest?.match(/[2-7]./g) ?? [];
  const word = String.fromCharCode(...letters.map((letter) => Number.parseInt(letter, 16)));
  return digestOf(word) === digest ? word : `${digest}`;
}

/** Where a test's time begins, epoch milliseconds. */
export const START = 1_000_000;

/** A partition to which a test feeds events; what they led to is told in one line a verdict. */
export interface World {
  readonly partition: Partition;
  readonly verdicts: readonly Verdict[];
  readonly notes: readonly Note[];
  attach(fields?: Fields<'attach'>): string[];
  call(fields?: Fields<'tool_call'>): string[];
  result(digest: string, fields?: Fields<'tool_result'>): string[];
  /** A call and its result. */
  turn(digest: string, fields?: Fields<'tool_call'>): string[];
  compaction(fields?: Fields<'compaction'>): string[];
  end(fields?: Fields<'run_end'>): string[];
  release(fields?: Fields<'release'>): string[];
  policy(document: PolicyDocument, fields?: Fields<'policy'>): string[];
  feed(event: LoopEvent, at: number): string[];
}

/** Detection on, with small thresholds: warning 3, block 5, breaker 7, missing tool 3, guard 2. */
export const SMALL: PolicyDocument = {
  tools: {
    loopDetection: {
      enabled: true,
      historySize: 10,
      warningThreshold: 3,
      criticalThreshold: 5,
      globalCircuitBreakerThreshold: 7,
      unknownToolThreshold: 3,
      postCompactionGuard: { windowSize: 2 },
    },
  },
  loopwarden: { idle: '2h' },
};

export function given(document: PolicyDocument = SMALL, options: { maxRuns?: number } = {}): World {
  const partition = openPartition({ policy: compilePolicy(document), revision: -1, ...options });
  const verdicts: Verdict[] = [];
  const notes: Note[] = [];
  const sequences = new Map<string, number>();
  let now = START;

  function feed(event: LoopEvent, at: number): string[] {
    const judgement = judge(partition, event, at);
    verdicts.push(...judgement.verdicts);
    notes.push(...judgement.notes);
    return judgement.verdicts.map(told);
  }

  function next<T extends LoopEvent['type']>(type: T, fields: Fields<T>, rest: object): string[] {
    const { at, ...own } = fields;
    now = at ?? now + 1;
    const event = { ...BASE, ...rest, ...own, type } as Extract<LoopEvent, { type: T }>;
    const key = `${event.runId} ${event.source}`;
    const sequence = own.sequence ?? (sequences.get(key) ?? 0) + 1;
    sequences.set(key, Math.max(sequence, sequences.get(key) ?? 0));
    return feed({ ...event, sequence }, now);
  }

  return { partition, verdicts, notes, feed, ...gatewayEvents(next), ...operatorEvents(next, partition) };
}

type Next = <T extends LoopEvent['type']>(type: T, fields: Fields<T>, rest: object) => string[];
type Fed = 'partition' | 'verdicts' | 'notes' | 'feed';
type ByOperator = 'release' | 'policy';

function gatewayEvents(next: Next): Omit<World, Fed | ByOperator> {
  const call = (fields: Fields<'tool_call'> = {}): string[] =>
    next('tool_call', fields, { ...TOOL, delivered: [], seen: null, despite: null });
  const result = (digest: string, fields: Fields<'tool_result'> = {}): string[] => {
    const came = {
      outcome: 'result',
      digest: digestOf(digest),
      missingTool: null,
      verdict: null,
      seen: null,
      durationMs: null,
    };
    return next('tool_result', fields, { ...TOOL, ...came });
  };
  return {
    attach: (fields = {}) => next('attach', fields, {}),
    call,
    result,
    turn: (digest, fields = {}) => {
      const { runId = 'run', tool = 'read', args = TOOL.args, poll = false, source = 'gw-1', at } = fields;
      const back = { runId, tool, args, poll, source, ...(at === undefined ? {} : { at }) };
      return [...call(fields), ...result(digest, back)];
    },
    compaction: (fields = {}) => next('compaction', fields, { retry: true }),
    end: (fields = {}) => next('run_end', fields, { status: 'completed', verdict: null }),
  };
}

function operatorEvents(next: Next, partition: Partition): Pick<World, ByOperator> {
  const who = { gatewayId: 'operator', actor: 'a', reason: 'r' };
  return {
    release: (fields = {}) => next('release', fields, { ...who, source: 'op', match: null, epoch: null }),
    policy: (applied, fields = {}) => {
      const revision = fields.revision ?? partition.revision + 1;
      const rest = { ...who, runId: '*', source: 'policy', policy: JSON.stringify(applied) };
      return next('policy', { ...fields, revision, sequence: revision }, rest);
    },
  };
}

/** A verdict in one line: sequence, action, match, what it says, what it ends and why. */
export function told(verdict: Verdict): string {
  const { sequence, action, match, detector, count, level, pairedTool, ends, reason, shadow } = verdict;
  const what = { signature: `${match.tool}(${wordOf(match.args)})`, tool: `${match.tool}`, run: 'run' }[
    match.scope
  ];
  const parts = [`#${sequence}`, shadow ? `shadow ${action}` : action, what];
  if (action !== 'release') parts.push(`${detector}×${count}`);
  if (level > 0) parts.push(`level ${level}`);
  if (pairedTool !== null) parts.push(`with ${pairedTool}`);
  if (ends !== null) parts.push(`ends #${ends}`);
  if (reason !== null) parts.push(reason);
  return parts.join(' ');
}

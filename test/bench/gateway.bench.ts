import { hash } from 'node:crypto';
import { describeCall, SHIPPED_PROFILES, type Verdict } from '@loopwarden/detection';
import { connect, type Gateway, type Run } from '@loopwarden/gateway';
import { createMemoryLog, type MemoryBroker } from '@loopwarden/stream/memory';
import { createEmbeddedCodec, HEADERS } from '@loopwarden/wire';
import { type Bench, measure } from './measure.ts';

const STANDING = 10_000;
/** Verdicts of one run at most: as many as a window has signatures. */
const PER_RUN = 30;
const DECISIONS = 20_000;

/**
 * What one decision of a gateway costs, from the question to the answer: digest, verdicts, event and all. The
 * baseline is the digest alone: what is far above it on a busy machine is the machine's.
 */
export const bench: Bench = async function* () {
  const world = await standing();
  for (const [name, tool] of [
    ['allowed', 'read'],
    ['refused', 'probe'],
  ] as const) {
    for (const percentile of [50, 99]) {
      yield await measure({
        name: `gateway decision ${name} p${percentile}, ${STANDING} verdicts stand`,
        unit: 'µs',
        sample: async () => percentileOf(await timed(world, tool), percentile),
        baseline: () => percentileOf(timedDigests(tool), percentile),
      });
    }
  }
  await world.gateway.close({ withinMs: 0 });
};

interface World {
  readonly broker: MemoryBroker;
  readonly gateway: Gateway;
  readonly runs: readonly Run[];
}

async function timed({ broker, runs }: World, tool: string): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < DECISIONS; index += 1) {
    const run = runs[index % runs.length];
    const call = { callId: `c${index}`, tool, args: argsOf(index) };
    const start = performance.now();
    await run?.beforeCall(call);
    times.push((performance.now() - start) * 1000);
    run?.afterCall({ ...call, result: 'same' });
    // The log's own work, in this process because the log is in memory, is no part of a decision.
    if (index % 1_000 === 999) await rest(broker);
  }
  return times;
}

function timedDigests(tool: string): number[] {
  const sha256 = (text: string): string => hash('sha256', text, 'hex');
  return Array.from({ length: DECISIONS }, (_, index) => {
    const call = { tool, args: argsOf(index) };
    const start = performance.now();
    describeCall(call, SHIPPED_PROFILES, sha256);
    return (performance.now() - start) * 1000;
  });
}

const argsOf = (index: number) => ({ path: `/src/${index}`, lines: [index, index + 40] });

/** Lets the log take what was told, and forget it. */
async function rest(broker: MemoryBroker): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  broker.trim('loopwarden.events', 0, Number.POSITIVE_INFINITY);
}

function percentileOf(values: readonly number[], percentile: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length * percentile) / 100)] ?? 0;
}

/** A gateway that has heard a block of one signature in every place of every run's window. */
async function standing(): Promise<World> {
  const spec = { cleanup: 'delete', retentionMs: null, timestamps: 'append', partitions: 1 } as const;
  const topics = ['events', 'control', 'policies'].map((name) => ({ ...spec, name: `loopwarden.${name}` }));
  const broker = createMemoryLog({ clock: { now: () => Date.now() }, topics });
  const codec = createEmbeddedCodec();
  const log = { log: broker.connect('gw'), codec, findSchema: async () => null };
  const gateway = await connect({ log, gatewayId: 'gw', onStale: 'closed' });
  const runs: Run[] = [];
  const writer = broker.connect('detector').writer();
  for (let at = 0; at < STANDING / PER_RUN; at += 1) {
    const run = gateway.run({ runId: `run-${at}` });
    runs.push(run);
    await writer.append(
      Array.from({ length: PER_RUN }, (_, slot) => ({
        topic: 'loopwarden.control',
        partition: 0,
        key: run.runId,
        value: codec.encodeVerdict(blockOf(run.runId, slot + 1)),
        headers: { [HEADERS.lineage]: '0' },
      })),
    );
  }
  while (!(await isHeard(runs.at(-1)))) await new Promise((resolve) => setImmediate(resolve));
  return { broker, gateway, runs };
}

/** The last verdict of each run is of a call that the bench makes. */
async function isHeard(run: Run | undefined): Promise<boolean> {
  const answer = await run?.beforeCall({ callId: 'probe', tool: 'probe', args: {} });
  return answer?.action === 'block';
}

function blockOf(runId: string, sequence: number): Verdict {
  const isLast = sequence === PER_RUN;
  const args = sequence.toString(16).padStart(32, '0');
  return {
    runId,
    agentId: null,
    sessionId: null,
    gatewayId: 'gw',
    epoch: 1,
    sequence,
    action: 'block',
    match: isLast ? { scope: 'tool', tool: 'probe', args: null } : { scope: 'signature', tool: 'read', args },
    detector: 'generic_repeat',
    count: 20,
    threshold: 20,
    level: 0,
    warning: 0,
    pairedTool: null,
    ends: null,
    reason: null,
    shadow: false,
    trigger: { source: 'gw', sequence: 1 },
    at: Date.now(),
    policyRevision: -1,
    profiles: 'p',
    engine: '1',
    message: 'CRITICAL: read was called 20 times with the same arguments and the same outcome.',
  };
}

import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeCall, describeOutcome, SHIPPED_PROFILES } from '@loopwarden/detection';
import { openEmbedded } from '@loopwarden/gateway/embedded';
import { topicsOf } from '@loopwarden/schemas';
import { RecordedHost } from '../openclaw/recorded-host.ts';
import { type Bench, measure } from './measure.ts';

const CALLS = 500;
/** A quick tool; slower ones hide more. */
const TOOL_MS = 4;
const OUTPUT = { content: [{ type: 'text', text: 'a line of what a tool brings back\n'.repeat(120) }] };

/**
 * What the plugin adds to a call of OpenClaw, outside strict mode, on the embedded log: the hooks themselves, against
 * the digests alone (what is far above them on a busy machine is the machine's), and the time of a call with them
 * against one without, in which the writes of the log, in the same process, show.
 */
export const bench: Bench = async function* () {
  const dir = mkdtempSync(join(tmpdir(), 'loopwarden-bench-'));
  const { log } = await openEmbedded({ dir, create: true });
  await log.admin.apply(topicsOf({ prefix: 'loopwarden.', partitions: 12 }));
  const host = new RecordedHost(undefined, { log: { dir } });
  await host.call('gateway_start', {});
  while ((await log.reader.ranges('loopwarden.events')).every(({ end }) => end === 0)) await call(host);
  try {
    for (const percentile of [50, 99]) {
      yield await measure({
        name: `openclaw hooks of one call p${percentile}`,
        unit: 'ms',
        sample: async () => percentileOf(await times(host, ({ hooks }) => hooks), percentile),
        baseline: async () => percentileOf(await digestTimes(), percentile),
      });
    }
    for (const percentile of [50, 99]) {
      yield await measure({
        name: `openclaw call of ${TOOL_MS} ms p${percentile}, against one without the plugin`,
        unit: 'ms',
        sample: async () => percentileOf(await times(host, ({ whole }) => whole), percentile),
        baseline: async () => percentileOf(await times(null, ({ whole }) => whole), percentile),
      });
    }
  } finally {
    await host.call('gateway_stop', {});
    await log.close();
    rmSync(dir, { recursive: true });
  }
};

interface Took {
  readonly hooks: number;
  readonly whole: number;
}

async function times(host: RecordedHost | null, of: (took: Took) => number): Promise<number[]> {
  const all: number[] = [];
  for (let index = 0; index < CALLS; index += 1) all.push(of(await call(host)));
  return all;
}

async function digestTimes(): Promise<number[]> {
  const sha256 = (text: string): string => hash('sha256', text, 'hex');
  const all: number[] = [];
  for (let index = 0; index < CALLS; index += 1) {
    await new Promise((resolve) => setTimeout(resolve, TOOL_MS));
    const made = { tool: 'read', args: { path: `/src/${index}` }, result: OUTPUT };
    all.push(
      await timed(async () => {
        describeCall(made, SHIPPED_PROFILES, sha256);
        describeOutcome(made, SHIPPED_PROFILES, sha256);
      }),
    );
  }
  return all;
}

let made = 0;

/** One call of a tool through all its hooks. Ten runs take turns, and no call is like another. */
async function call(host: RecordedHost | null): Promise<Took> {
  made += 1;
  const runId = `run-${made % 10}`;
  const named = { toolName: 'read', params: { path: `/src/${made}` }, runId, toolCallId: `call_${made}` };
  const context = {
    runId,
    agentId: 'main',
    sessionId: `session-${runId}`,
    sessionKey: `agent:main:${runId}`,
  };
  const result = { toolCallId: named.toolCallId, toolName: 'read', args: named.params, result: OUTPUT };
  const start = performance.now();
  let hooks = await timed(() => host?.call('before_tool_call', named, context));
  await new Promise((resolve) => setTimeout(resolve, TOOL_MS));
  hooks += await timed(() => host?.call('middleware', result));
  hooks += await timed(() => host?.call('after_tool_call', { ...named, result: OUTPUT }, context));
  return { hooks, whole: performance.now() - start };
}

async function timed(work: () => Promise<unknown> | undefined): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function percentileOf(values: readonly number[], percentile: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length * percentile) / 100)] ?? 0;
}

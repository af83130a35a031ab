import { setTimeout as sleep } from 'node:timers/promises';
import { type LoopEvent, SHIPPED_PROFILES, type ToolCall, type ToolResult } from '@loopwarden/detection';
import { silentLogger } from '@loopwarden/runtime';
import { partitionOf } from '@loopwarden/stream';
import { HEADERS } from '@loopwarden/wire';
import type { Config } from '../config/settings.ts';
import type { OpenedLog } from '../open-log.ts';
import { applyPolicy } from '../policy/apply-policy.ts';
import { inForce, readRevisions } from '../policy/revisions.ts';
import { addDetector } from '../up/start-stack.ts';
import { recordsOf, temporaryLog } from './temporary-log.ts';

/** Warns at 3 calls, blocks at 5 equal results. */
export const SMALL = {
  tools: { loopDetection: { enabled: true, warningThreshold: 3, criticalThreshold: 5 } },
};

export interface JudgedLog {
  readonly opened: OpenedLog;
  readonly config: Config;
  readonly dataDir: string;
  readonly gateway: ReturnType<typeof gatewayOn>;
  /** Runs a detector until it has judged all that the log holds. */
  readonly judge: () => Promise<void>;
  readonly apply: (document: object) => Promise<void>;
}

/** An embedded log with a policy, a gateway that writes, and a detector that comes when it is called. */
export async function judgedLog(afterwards: Parameters<typeof temporaryLog>[0]): Promise<JudgedLog> {
  return judgedOn(await temporaryLog(afterwards));
}

/** The same on a log that is there; it has three partitions. */
export async function judgedOn({
  opened,
  config,
  dataDir,
}: Pick<JudgedLog, 'opened' | 'config' | 'dataDir'>): Promise<JudgedLog> {
  const apply = async (document: object): Promise<void> => {
    const newest = inForce(await readRevisions(opened, null));
    const done = await applyPolicy(opened, {
      document: { ...document },
      actor: 'ada',
      reason: 'a spec',
      key: null,
      newest,
    });
    if (!done.ok) throw new Error(done.error.message);
  };
  await apply(SMALL);
  return {
    opened,
    config,
    dataDir,
    gateway: gatewayOn(opened),
    judge: () => judgeAll(opened, config),
    apply,
  };
}

async function judgeAll(opened: OpenedLog, config: Config): Promise<void> {
  const quiet = { ...config, http: { ...config.http, enabled: false } };
  const closings: (() => Promise<void> | void)[] = [];
  const closing = (_name: string, close: () => Promise<void> | void): void => void closings.push(close);
  const started = await addDetector(opened, { config: quiet, logger: silentLogger, lifecycle: { closing } });
  if (!started.ok) throw new Error(started.error.message);
  while (!(await isJudged(opened, config))) await sleep(10);
  for (const close of closings) await close();
}

async function isJudged({ log, topics }: OpenedLog, config: Config): Promise<boolean> {
  const ranges = await log.reader.ranges(topics.events);
  const committed = await log.reader.committed(config.detector.group, topics.events);
  return ranges.every(({ partition, start, end }) => (committed.get(partition)?.offset ?? start) >= end);
}

/** A gateway that only writes. */
function gatewayOn(opened: OpenedLog) {
  const writer = opened.log.writer();
  const sequences = new Map<string, number>();
  const base = (runId: string) => {
    const sequence = (sequences.get(runId) ?? 0) + 1;
    sequences.set(runId, sequence);
    const who = { runId, agentId: 'coder', sessionId: null, gatewayId: 'gw', source: 'gw-1' };
    return { ...who, sequence, observedAt: 0 };
  };
  const call = { callId: null, poll: false, profiles: SHIPPED_PROFILES.version, keyId: null, payload: null };
  const write = async (event: LoopEvent, headers: Record<string, string> = {}): Promise<number> => {
    const partition = partitionOf(event.runId, 3);
    const value = opened.codec.encodeEvent(event);
    const topic = opened.topics.events;
    const [position] = await writer.append([{ topic, partition, key: event.runId, value, headers }]);
    return position?.offset ?? -1;
  };
  return {
    attach: (runId: string) => write({ ...base(runId), type: 'attach' }),
    end: (runId: string) => write({ ...base(runId), type: 'run_end', status: 'completed', verdict: null }),
    call: (runId: string, fields: Partial<ToolCall> = {}) => {
      const own = { tool: 'read', args: digestOf('aa'), seen: null, delivered: [], despite: null };
      return write({ ...base(runId), ...call, ...own, type: 'tool_call', ...fields });
    },
    result: (runId: string, fields: Partial<ToolResult> = {}) => {
      const own = { tool: 'read', args: digestOf('aa'), seen: null, verdict: null, durationMs: 1 };
      const came = { outcome: 'result', digest: digestOf('bb'), missingTool: null } as const;
      const event = { ...base(runId), ...call, ...own, ...came, type: 'tool_result', ...fields } as const;
      return write(event, { [HEADERS.mark]: '1' });
    },
    /** So many equal calls with equal results. */
    async loop(runId: string, turns: number): Promise<void> {
      for (let turn = 0; turn < turns; turn += 1) {
        await this.call(runId);
        await this.result(runId);
      }
    },
  };
}

/** 128 bits from a few hex characters. */
export function digestOf(short: string): string {
  return short.padStart(32, '0');
}

/** Verdicts as they stand in the control topic, with their places. */
export async function publishedIn({ opened }: Pick<JudgedLog, 'opened'>) {
  const records = await Promise.all(
    [0, 1, 2].map((partition) => recordsOf(opened, opened.topics.control, partition)),
  );
  return records.flat().flatMap((record) => {
    const decoded = opened.codec.decodeControl(record.value ?? new Uint8Array());
    return decoded.ok && decoded.value.type === 'verdict' ? [{ record, verdict: decoded.value.verdict }] : [];
  });
}

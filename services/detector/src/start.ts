import { hostname } from 'node:os';
import {
  type ConfigOf,
  createDetectorMetrics,
  createMetricsRegistry,
  type detectorSettings,
  type Logger,
  type logSettings,
  type processSettings,
  startHealthServer,
} from '@loopwarden/runtime';
import type { Log } from '@loopwarden/stream';
import type { Codec, OperatorKeys } from '@loopwarden/wire';
import type { FindSchema } from './context.ts';
import { runDetector } from './detector.ts';
import type { Facts } from './facts.ts';
import { topicNames } from './names.ts';
import { observe } from './observe.ts';
import { systemTime } from './time.ts';

export type DetectorConfig = ConfigOf<typeof logSettings> &
  ConfigOf<typeof processSettings> &
  ConfigOf<typeof detectorSettings>;

/** What a detector is given by whoever composes the process. */
export interface Surroundings {
  readonly log: Log;
  readonly codec: Codec;
  readonly findSchema: FindSchema;
  /** Null: operator events need no signature. */
  readonly operatorKeys: OperatorKeys | null;
  readonly logger: Logger;
}

export interface RunningDetector {
  /** Where /livez, /readyz and /metrics are served; null when switched off. */
  readonly port: number | null;
  close(): Promise<void>;
}

/** Starts a detector: it joins its group, judges what is assigned, and serves health and metrics. */
export async function start(config: DetectorConfig, surroundings: Surroundings): Promise<RunningDetector> {
  const { log, logger } = surroundings;
  const registry = createMetricsRegistry({ runtime: true });
  const standing: Standing = { waiting: new Map(), replaced: null };
  const facts = noteStanding(observe(logger, createDetectorMetrics(registry)), standing);
  const [writer, stateWriter] = [log.writer(), log.writer()];
  const { codec, findSchema, operatorKeys } = surroundings;
  const topics = topicNames(config.topics.prefix);
  const context = {
    topics,
    reader: log.reader,
    writer,
    stateWriter,
    codec,
    findSchema,
    operatorKeys,
    time: systemTime,
    facts,
  };
  const { group, instance, maxRunsPerPartition: maxRuns } = config.detector;
  const detector = await runDetector({
    context: { ...context, maxRuns },
    log,
    group,
    ...(instance === null ? {} : { instance }),
    clientId: `detector-${hostname()}-${process.pid}`,
  });
  const server = await serveHealth(config, { log, standing, registry });
  return {
    port: server?.port ?? null,
    async close() {
      await server?.close();
      await detector.close();
      await Promise.all([writer.close(), stateWriter.close()]);
    },
  };
}

/** What keeps a detector that is alive from being ready. */
interface Standing {
  readonly waiting: Map<number, string>;
  /** Why it judges nothing; null: it does. A restart would only replace the other one. */
  replaced: string | null;
}

/** Remembers what readiness tells. */
function noteStanding(facts: Facts, standing: Standing): Facts {
  const { waiting } = standing;
  return {
    ...facts,
    replaced: (detail) => {
      facts.replaced(detail);
      standing.replaced = detail;
    },
    waiting: (partition, detail) => {
      facts.waiting(partition, detail);
      if (detail === null) waiting.delete(partition);
      else waiting.set(partition, detail);
    },
    lost: (partition) => {
      facts.lost(partition);
      waiting.delete(partition);
    },
  };
}

interface Health {
  readonly log: Log;
  readonly standing: Readonly<Standing>;
  readonly registry: ReturnType<typeof createMetricsRegistry>;
}

async function serveHealth(config: DetectorConfig, { log, standing, registry }: Health) {
  const { enabled, host, port, token } = config.http;
  if (!enabled) return null;
  return startHealthServer({
    host,
    port,
    token,
    live: { log: () => log.health() },
    ready: {
      log: () => log.health(),
      instance: () => ({ ok: standing.replaced === null, detail: standing.replaced ?? '' }),
      partitions: () => {
        const { waiting } = standing;
        const detail = [...waiting]
          .map(([partition, why]) => `Partition ${partition} waits: ${why}`)
          .join(' ');
        return { ok: waiting.size === 0, detail };
      },
    },
    metrics: config.metrics.enabled ? registry : null,
  });
}

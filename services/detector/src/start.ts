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
import { topicNames } from './names.ts';
import { observe } from './observe.ts';
import { noteReadiness, openReadiness, partitionsCheck, type Readiness, sayStandby } from './readiness.ts';
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
  const readiness = openReadiness();
  const facts = noteReadiness(observe(logger, createDetectorMetrics(registry)), readiness);
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
  const server = await serveHealth(config, { log, readiness, registry });
  const closing = new AbortController();
  sayStandby(readiness, { time: systemTime, logger, signal: closing.signal });
  return {
    port: server?.port ?? null,
    async close() {
      closing.abort();
      await server?.close();
      await detector.close();
      await Promise.all([writer.close(), stateWriter.close()]);
    },
  };
}

interface Health {
  readonly log: Log;
  readonly readiness: Readonly<Readiness>;
  readonly registry: ReturnType<typeof createMetricsRegistry>;
}

async function serveHealth(config: DetectorConfig, { log, readiness, registry }: Health) {
  const { enabled, host, port, token } = config.http;
  if (!enabled) return null;
  return startHealthServer({
    host,
    port,
    token,
    live: { log: () => log.health() },
    ready: {
      log: () => log.health(),
      instance: () => ({ ok: readiness.replaced === null, detail: readiness.replaced ?? '' }),
      partitions: () => partitionsCheck(readiness),
    },
    metrics: config.metrics.enabled ? registry : null,
  });
}

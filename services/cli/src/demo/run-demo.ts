import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Gateway } from '@loopwarden/gateway';
import { openEmbedded } from '@loopwarden/gateway/embedded';
import { createLifecycle, type Lifecycle } from '@loopwarden/runtime';
import { reportError } from '../commands/report-error.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { Config } from '../config/settings.ts';
import type { Output } from '../terminal/output.ts';
import { openLogFile, pointToLog } from '../up/log-file.ts';
import { type Stack, startStack } from '../up/start-stack.ts';
import { followVerdicts } from '../verdicts/follow-verdicts.ts';
import { demoOpening, demoSummary, demoVerdict, endedWell } from './demo-text.ts';
import { type Ending, playStory } from './play-story.ts';
import { STORIES } from './stories.ts';

/** What a model takes to think, milliseconds: long against the way of a verdict, short for who watches. */
const THINKING_MS = 100;
/** Between the first words of two agents. */
const STAGGER_MS = 60;

/** Runs the simulated fleet against a log and a detector of its own, shows what happens, and ends the process. */
export async function runDemo(loaded: LoadedConfig, output: Output): Promise<void> {
  const kept = loaded.origins.dataDir !== 'default';
  const dataDir = kept ? loaded.config.dataDir : mkdtempSync(join(tmpdir(), 'loopwarden-demo-'));
  const config = demoConfig(loaded, { dataDir, kept });
  const logFile = openLogFile(config);
  if (!logFile.ok) return void process.exit(reportError(logFile.error, output));
  const { logger, path } = logFile.value;
  if (kept) pointToLog(path, output);
  const lifecycle = createLifecycle({ process, log: logger, deadlineMs: config.stop.deadline });
  const forget = (): void => {
    if (!kept) rmSync(dataDir, { recursive: true, force: true });
  };
  lifecycle.closing('folder', forget);
  const started = await startStack({ config, logger, lifecycle });
  if (!started.ok) {
    forget();
    return void process.exit(reportError(started.error, output));
  }
  const gateway = await openGateway(config);
  lifecycle.closing('gateway', () => gateway.close());
  const endings = await playFleet({ stack: started.value, gateway, lifecycle }, output);
  if (endings === null) return;
  for (const line of demoSummary(endings, { dataDir: kept ? dataDir : null }, output)) output.out(line);
  if (endedWell(endings)) await lifecycle.stop('The demo is over.');
  else await lifecycle.fail('The demo did not end as it should.', endings);
}

/** A folder that goes away holds an embedded log without operators; and a busy port is no reason to show nothing. */
function demoConfig(
  { config, origins }: LoadedConfig,
  { dataDir, kept }: { dataDir: string; kept: boolean },
): Config {
  const port = origins['http.port'] === 'default' ? 0 : config.http.port;
  const operator = kept ? config.operator : { keys: null, signingKey: null, allowUnsigned: false };
  return { ...config, dataDir, log: 'embedded', operator, http: { ...config.http, port } };
}

/** A gateway like any other: on a connection of its own. */
async function openGateway({ dataDir, topics }: Config): Promise<Gateway> {
  const log = await openEmbedded({ dir: dataDir });
  return connect({ log, gatewayId: 'demo', prefix: topics.prefix });
}

interface Fleet {
  readonly stack: Stack;
  readonly gateway: Gateway;
  readonly lifecycle: Lifecycle;
}

/** Plays all stories side by side; null: interrupted. */
async function playFleet(
  { stack: { opened }, gateway, lifecycle }: Fleet,
  output: Output,
): Promise<readonly Ending[] | null> {
  const start = Date.now();
  const suffix = randomBytes(2).toString('hex');
  const told = new AbortController();
  const signal = AbortSignal.any([lifecycle.signal, told.signal]);
  for (const line of demoOpening(STORIES, output)) output.out(line);
  try {
    const following = followVerdicts(opened, { from: 'end', signal }, ({ verdict }) => {
      const line = demoVerdict(verdict, Date.now() - start, output);
      if (line !== null) output.out(line);
    });
    const endings = await Promise.all(
      STORIES.map(async (story, index) => {
        const think = (): Promise<void> => sleep(THINKING_MS, undefined, { signal });
        await sleep(index * STAGGER_MS, undefined, { signal });
        const run = gateway.run({ runId: `${story.run}-${suffix}`, agentId: story.agent });
        return playStory(story, run, think);
      }),
    );
    told.abort();
    await following;
    return endings;
  } catch (error) {
    // Whoever interrupts closes the gateway under the fleet.
    if (lifecycle.signal.aborted) return null;
    throw error;
  }
}

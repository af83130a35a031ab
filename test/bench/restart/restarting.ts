import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { topicNames } from '@loopwarden/detector/parts';
import type { Log } from '@loopwarden/stream';
import { codec, PARTITIONS } from '../service/fleet.ts';
import { type Past, probe } from './past.ts';

const COMMAND = join(import.meta.dirname, '../../../services/cli/bin/loopwarden.js');
/** In this machine's `/proc`: what Linux counts processor time in. */
const TICK_MS = 10;
const KIBIBYTE = 1024;

/** One start of the command. */
export interface Restart {
  /** Milliseconds from the start of the process to the mark behind a new event in every partition. */
  readonly judging: number;
  /** Milliseconds of processor time until then, of all its threads. */
  readonly cpu: number;
  /** Bytes of memory at most. */
  readonly peak: number;
}

interface Restarting {
  readonly log: Log;
  readonly past: Past;
  /** Settings by which the command finds the log. */
  readonly flags: readonly string[];
  /** Different at each start. */
  readonly number: number;
}

/** Starts `loopwarden detect`, waits until it judges in every partition, and stops it. */
export async function restart({ log, past, flags, number }: Restarting): Promise<Restart> {
  const topics = topicNames(past.prefix);
  await probe(log, past, number);
  const ends = await log.reader.ranges(topics.events);
  const from = await log.reader.ranges(topics.control);
  const start = performance.now();
  const settings = ['--detector-group', past.group, '--http-enabled', 'false', '--logger-level', 'error'];
  const child = spawn(process.execPath, [COMMAND, 'detect', ...flags, ...settings], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const stop = new AbortController();
  const marked = Array.from({ length: PARTITIONS }, (_, partition) => {
    const [control, event] = [from[partition]?.end ?? 0, (ends[partition]?.end ?? 0) - 1];
    return untilMarked(log, {
      topic: topics.control,
      partition,
      from: control,
      offset: event,
      signal: stop.signal,
    });
  });
  const died = once(child, 'close').then(() => Promise.reject(new Error('The detector ended by itself.')));
  await Promise.race([Promise.all(marked), died]);
  const judging = performance.now() - start;
  const costs = costsOf(child);
  died.catch(() => undefined);
  stop.abort();
  // In good order: one that is killed is missed only after a while, which is the log's patience and no work.
  const ended = once(child, 'close');
  child.kill('SIGTERM');
  await ended;
  return { judging, ...costs };
}

interface Marked {
  readonly topic: string;
  readonly partition: number;
  readonly from: number;
  /** Of the event. */
  readonly offset: number;
  readonly signal: AbortSignal;
}

async function untilMarked(log: Log, { topic, partition, from, offset, signal }: Marked): Promise<void> {
  const read = { topic, partition, from: { offset: from }, until: 'never', signal } as const;
  for await (const { records } of log.reader.read(read)) {
    for (const { value } of records) {
      const control = codec.decodeControl(value ?? new Uint8Array());
      if (control.ok && control.value.type === 'mark' && control.value.mark.offset >= offset) return;
    }
  }
}

/** As Linux tells them of a process that lives. */
function costsOf({ pid }: ChildProcess): Pick<Restart, 'cpu' | 'peak'> {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const cpu = (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  return { cpu, peak: Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * KIBIBYTE };
}

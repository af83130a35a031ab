import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TopicNames } from '@loopwarden/detector/parts';
import type { Log } from '@loopwarden/stream';
import type { Order, Report } from './member.ts';

const MEMBER = join(import.meta.dirname, 'member.ts');

/** Where members find their fleet. */
interface Station {
  readonly log: Log;
  readonly brokers: readonly string[];
  readonly prefix: string;
  readonly topics: TopicNames;
}

interface Together {
  /** Events per second. */
  readonly rate: number;
  /** Events per second of processor time, all threads of all members counted. */
  readonly perCpuSecond: number;
}

/** What so many detector processes do, from when all partitions are restored until all is judged. */
export async function detectTogether(station: Station, processes: number): Promise<Together> {
  const ranges = await station.log.reader.ranges(station.topics.events);
  const ends = new Map(ranges.map(({ partition, end }) => [partition, end]));
  const total = [...ends.values()].reduce((sum, end) => sum + end, 0);
  const waiting = new Map<number, ChildProcess>();
  const [ready, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const members = Array.from({ length: processes }, () => start(station));
  for (const member of members) {
    member.on('message', (report: Report) => {
      if (report.type === 'waits') {
        waiting.set(report.partition, member);
        const sharing = new Set(waiting.values()).size;
        if (waiting.size === ends.size && sharing === processes) ready.resolve();
      } else if (report.type === 'judged' && report.offset + 1 >= (ends.get(report.partition) ?? 0)) {
        ends.delete(report.partition);
        if (ends.size === 0) done.resolve();
      }
    });
    order(member, 'join');
  }
  await ready.promise;
  const begun = performance.now();
  for (const member of members) order(member, 'open');
  await done.promise;
  const seconds = (performance.now() - begun) / 1000;
  const spent = await Promise.all(members.map((member) => ask(member, 'account')));
  await Promise.all(members.map(stop));
  const cpuSeconds = spent.reduce((sum, micros) => sum + micros, 0) / 1_000_000;
  return { rate: total / seconds, perCpuSecond: total / cpuSeconds };
}

/** Bytes of heap and buffers that a process holds more when it has restored every partition. */
export async function weighRestored(station: Station, partitions: number): Promise<number> {
  const member = start(station);
  const before = await ask(member, 'weigh');
  const waiting = new Set<number>();
  const ready = Promise.withResolvers<void>();
  member.on('message', (report: Report) => {
    if (report.type === 'waits' && waiting.add(report.partition).size === partitions) ready.resolve();
  });
  order(member, 'join');
  await ready.promise;
  const after = await ask(member, 'weigh');
  await stop(member);
  return after - before;
}

function start({ brokers, prefix }: Station): ChildProcess {
  return fork(MEMBER, [brokers.join(','), prefix], { execArgv: ['--expose-gc'] });
}

function order(member: ChildProcess, what: Order): void {
  member.send(what);
}

async function ask(member: ChildProcess, what: 'weigh' | 'account'): Promise<number> {
  order(member, what);
  for (;;) {
    const [report] = (await once(member, 'message')) as [Report];
    if (report.type === 'answer') return report.value;
  }
}

/** A member that is killed is missed by its group, which nobody joins any more. */
async function stop(member: ChildProcess): Promise<void> {
  const ended = once(member, 'close');
  member.kill('SIGKILL');
  await ended;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { onTestFinished, vi } from 'vitest';
import type { Consumed } from './traffic.ts';

interface Said {
  /** By the consumer's clock, in epoch milliseconds. */
  readonly at: number;
  readonly event:
    | 'begun'
    | 'joined'
    | 'assigned'
    | 'lost'
    | 'failed'
    | 'batch'
    | 'committed'
    | 'refused'
    | 'left';
  readonly partition?: number;
  readonly consumed?: readonly Consumed[];
  readonly offset?: number;
  readonly from?: number;
  readonly code?: string;
}

interface Place {
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly group: string;
  /** After how many silent milliseconds a member is taken for dead; 3 s unless told otherwise. */
  readonly session?: number;
}

/** Everything that the consumers of a test heard, in the order in which it was heard. They end with the test. */
export class Consumers {
  readonly consumed: Consumed[] = [];
  readonly #at: Place;
  readonly #all: Consumer[] = [];

  constructor(at: Place) {
    this.#at = at;
    onTestFinished(() => {
      for (const consumer of this.#all) consumer.signal('SIGKILL');
    });
  }

  /** Starts a member in a process of its own that works so many milliseconds on each batch. */
  async start(workMs: number, instance?: string): Promise<Consumer> {
    const { brokers, topic, group, session = 3_000 } = this.#at;
    const program = new URL('consumer-process.ts', import.meta.url).pathname;
    const args = [program, brokers.join(','), topic, group, String(workMs), String(session)];
    if (instance !== undefined) args.push(instance);
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const consumer = new Consumer(child, (consumed) => this.consumed.push(...consumed));
    this.#all.push(consumer);
    await consumer.until(() => consumer.said.some(({ event }) => event === 'joined'));
    return consumer;
  }
}

/** A member of a group in another process. */
export class Consumer {
  readonly said: Said[] = [];
  readonly #child: ChildProcess;

  constructor(child: ChildProcess, heard: (consumed: readonly Consumed[]) => void) {
    this.#child = child;
    if (child.stdout === null) throw new Error('the consumer has no output');
    createInterface({ input: child.stdout }).on('line', (line) => {
      const said = JSON.parse(line) as Said;
      this.said.push(said);
      if (said.consumed !== undefined) heard(said.consumed);
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Leaves in good order. */
  async leave(): Promise<void> {
    this.signal('SIGTERM');
    await this.until(() => this.count('left') === 1);
  }

  count(event: Said['event']): number {
    return this.said.filter((said) => said.event === event).length;
  }

  /** The partitions that are this member's now. */
  owned(): readonly number[] {
    const owned = new Set<number>();
    for (const { event, partition = -1 } of this.said) {
      if (event === 'assigned') owned.add(partition);
      if (event === 'lost') owned.delete(partition);
    }
    return [...owned].sort((a, b) => a - b);
  }

  async until(holds: () => boolean, timeout = 30_000): Promise<void> {
    await vi.waitFor(
      () => {
        if (!holds()) throw new Error(`not yet; last heard: ${JSON.stringify(this.said.slice(-3))}`);
      },
      { timeout, interval: 20 },
    );
  }
}

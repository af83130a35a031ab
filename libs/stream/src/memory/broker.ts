import type { Drift, Log, TopicSpec } from '../log.ts';
import type { InRecord } from '../record.ts';
import { refuseUnknown } from '../record-bytes.ts';
import { remainingDrift, topicDrift } from '../topic-drift.ts';
import { Coordinator } from './coordinator.ts';
import type { Faults, Surroundings } from './fault.ts';
import { MemoryProcess } from './memory-process.ts';
import { PartitionLog } from './partition-log.ts';
import { inOrder, type Schedule } from './scheduler.ts';
import type { Clock } from './test-clock.ts';

export interface MemoryLogOptions {
  readonly clock: Clock;
  readonly topics?: readonly TopicSpec[];
  /** The order in which everything happens; unless given, the order in which it was asked for. */
  readonly schedule?: Schedule;
  /** What goes wrong; unless given, nothing does. */
  readonly faults?: Faults;
}

/** A broker in memory, with the handles of a test: what it holds, and what befalls those who are connected. */
export class MemoryBroker {
  readonly clock: Clock;
  readonly #surroundings: Surroundings;
  readonly #topics = new Map<string, { spec: TopicSpec; readonly partitions: readonly PartitionLog[] }>();
  readonly #groups = new Map<string, Coordinator>();
  readonly #processes = new Map<string, MemoryProcess>();

  constructor({ clock, topics = [], schedule = inOrder, faults = () => undefined }: MemoryLogOptions) {
    this.clock = clock;
    this.#surroundings = { schedule, faults };
    this.apply(topics);
  }

  /** A log as one process sees it. A crashed process may connect again under its name. */
  connect(process: string): Log {
    const connected = new MemoryProcess(process, this, this.#surroundings);
    this.#processes.set(process, connected);
    return connected.log;
  }

  /** The process is dead, whatever it was doing: it hears and sends nothing more; requests under way arrive. */
  crash(process: string): void {
    const dead = this.#process(process);
    dead.crash();
    this.#surroundings.schedule(() => dead.forget());
  }

  /** Its groups think the process dead and go on without it; it carries on, a zombie, until a commit or `heal`. */
  expel(process: string): void {
    this.#process(process).forget();
  }

  /** An expelled process hears that its groups went on without it, and joins them again. */
  heal(process: string): void {
    this.#process(process).heal();
  }

  /** Every partition of the group is taken back, gently, and dealt out again. */
  rebalance(group: string, topic: string): void {
    this.coordinator(group, topic).rebalance();
  }

  /** Everything that a partition holds. */
  records(topic: string, partition: number): readonly InRecord[] {
    return this.partition(topic, partition).records;
  }

  /** Retention: forgets what lies before the offset. */
  trim(topic: string, partition: number, before: number): void {
    this.partition(topic, partition).trim(before);
  }

  /** Compaction: keeps the last record of each key. */
  compact(topic: string): void {
    for (const partition of this.#topics.get(topic)?.partitions ?? []) partition.compact();
  }

  spec(topic: string): TopicSpec | undefined {
    return this.#topics.get(topic)?.spec;
  }

  topics(): readonly string[] {
    return [...this.#topics.keys()].sort();
  }

  partition(topic: string, partition: number): PartitionLog {
    const partitions = this.#topics.get(topic)?.partitions;
    refuseUnknown(topic, partition, partitions?.length);
    return partitions?.[partition] as PartitionLog;
  }

  partitions(topic: string): readonly PartitionLog[] {
    this.partition(topic, 0);
    return this.#topics.get(topic)?.partitions ?? [];
  }

  coordinator(group: string, topic: string): Coordinator {
    const name = JSON.stringify([group, topic]);
    const coordinator = this.#groups.get(name) ?? new Coordinator(this.partitions(topic).length);
    this.#groups.set(name, coordinator);
    return coordinator;
  }

  plan(topics: readonly TopicSpec[]): readonly Drift[] {
    return topics.flatMap((declared) => topicDrift(declared, this.spec(declared.name)));
  }

  apply(topics: readonly TopicSpec[]): readonly Drift[] {
    const drift = this.plan(topics);
    for (const declared of topics) {
      const present = this.#topics.get(declared.name);
      if (present === undefined) this.#create(declared);
      else present.spec = { ...declared, partitions: present.spec.partitions };
    }
    return remainingDrift(drift);
  }

  #create(spec: TopicSpec): void {
    const partitions = Array.from({ length: spec.partitions }, (_, at) => new PartitionLog(spec.name, at));
    this.#topics.set(spec.name, { spec, partitions });
  }

  #process(name: string): MemoryProcess {
    const process = this.#processes.get(name);
    if (process === undefined) throw new Error(`No process ${name} is connected.`);
    return process;
  }
}

/** A log in memory that several simulated processes share. */
export function createMemoryLog(options: MemoryLogOptions): MemoryBroker {
  return new MemoryBroker(options);
}

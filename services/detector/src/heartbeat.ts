import type { Context } from './context.ts';
import { markRecord } from './encode.ts';
import type { Task } from './task.ts';

/** Marks are a detector's sign of life: one this often per owned partition, idle ones too. */
export const HEARTBEAT_MS = 5_000;

/** What a heartbeat says: the lineage and offset to mark; null: nothing now. */
export type Pulse = () => Pick<Task, 'partition' | 'lineage' | 'end' | 'judged'> | null;

/**
 * Publishes a mark now and then, until the signal aborts. A mark that cannot be published is left out: the
 * next one says more.
 */
export function beat(context: Context, pulse: Pulse, signal: AbortSignal): void {
  context.time.every(HEARTBEAT_MS, () => void publishMark(context, pulse()), signal);
}

async function publishMark(context: Context, said: ReturnType<Pulse>): Promise<void> {
  if (said === null) return;
  try {
    await context.writer.append([markRecord(context, said, said.judged)]);
  } catch (failure) {
    context.facts.logFailed(failure instanceof Error ? failure.message : String(failure));
  }
}

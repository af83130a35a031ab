import { type Outcome, refuse, succeed } from '../user-error.ts';

/** A verdict as people name it. */
export interface VerdictName {
  readonly runId: string;
  readonly epoch: number;
  readonly sequence: number;
}

/** Reads `run/epoch.sequence`; the run id may hold slashes and dots itself. */
export function readVerdictName(text: string): Outcome<VerdictName> {
  const [, runId = '', epoch, sequence] = /^(.+)\/(\d{1,15})\.([1-9]\d{0,9})$/s.exec(text) ?? [];
  if (runId.trim() !== '') return succeed({ runId, epoch: Number(epoch), sequence: Number(sequence) });
  const message = `A verdict is named RUN/EPOCH.SEQUENCE, as loopwarden tail shows it, and not "${text}".`;
  return refuse('bad_verdict', message);
}

export function isNamed(verdict: VerdictName, { runId, epoch, sequence }: VerdictName): boolean {
  return verdict.sequence === sequence && verdict.epoch === epoch && verdict.runId === runId;
}

import type { HostAgentEvent } from './host.ts';
import type { HostedRun } from './hosted-run.ts';

export type Ending = 'completed' | 'failed' | 'aborted';

/**
 * How a run has ended; null: it has not. Its last lifecycle event says so, once for all attempts; how its last
 * attempt went is asked first, for a run that recovered from an overflow ends in phase `error` all the same.
 */
export function endingOf(
  { stream, data = {} }: HostAgentEvent,
  { aborted, succeeded }: Pick<HostedRun, 'aborted' | 'succeeded'>,
): Ending | null {
  if (stream !== 'lifecycle' || (data.phase !== 'end' && data.phase !== 'error')) return null;
  if (aborted || data.aborted === true) return 'aborted';
  if (succeeded !== null) return succeeded ? 'completed' : 'failed';
  return data.phase === 'end' ? 'completed' : 'failed';
}

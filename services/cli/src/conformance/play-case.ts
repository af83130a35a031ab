import { checkPolicy, compilePolicy, type Verdict } from '@loopwarden/detection';
import { EventReader } from '../event-reader.ts';
import type { JsonObject } from '../json-value.ts';
import type { UserError } from '../user-error.ts';
import type { ConformanceCase } from './case.ts';
import { Chain, type Step } from './chain.ts';

type Played =
  | { readonly ok: true; readonly actual: readonly JsonObject[] }
  | { readonly ok: false; readonly error: UserError };

/** What the product makes of a case, in the form of its `expect` (of a policy case: of its `issues`). */
export function playCase({ policy, events }: ConformanceCase): Played {
  if (events === null)
    return { ok: true, actual: checkPolicy(policy).issues.map(({ message: _, ...issue }) => issue) };
  const chain = new Chain(compilePolicy(policy));
  const reader = new EventReader();
  const actual: JsonObject[] = [];
  let revision = 0;
  for (const [index, recorded] of events.entries()) {
    if (recorded.type === 'policy') revision += 1;
    const read = reader.read(recorded, { policy: chain.policy, revision });
    if (!read.ok)
      return { ok: false, error: { ...read.error, message: `event ${index}: ${read.error.message}` } };
    const { event, at } = read.value;
    actual.push(...told(chain.take(event, at), recorded.type).map((entry) => ({ event: index, ...entry })));
  }
  return { ok: true, actual };
}

/** What is listed of an event: a decision that is no plain allow, a guard that fires, a guard that is armed. */
function told({ decision, judgement }: Step, type: string): readonly JsonObject[] {
  const decided = decision?.verdict ?? null;
  if (decided !== null) return [{ action: decision?.action, ...evidence(decided) }];
  const fired = judgement?.verdicts.filter(({ action, shadow }) => action === 'abort' && !shadow) ?? [];
  if (type === 'tool_result') return fired.map((verdict) => ({ action: 'abort', ...evidence(verdict) }));
  const armed = judgement?.notes.flatMap((note) => (note.kind === 'armed' ? [note.windowSize] : [])) ?? [];
  return armed.map((armedFor) => ({ action: 'allow', armedFor }));
}

function evidence({ action, detector, count, pairedTool, match }: Verdict): JsonObject {
  return {
    detector,
    count,
    ...(pairedTool === null ? {} : { pairedTool }),
    ...(action === 'abort' ? { tool: match.tool } : {}),
  };
}

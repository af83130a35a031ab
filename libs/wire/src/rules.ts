import type {
  EventBase,
  Match,
  OperatorRelease,
  PolicyApplied,
  ReadEvent,
  ToolResult,
  Verdict,
} from '@loopwarden/detection';
import type { VerdictHead } from './verdict-record.ts';

/** Rules that a well-formed record can still break. */
export type RuleCode =
  | 'blank_run_id'
  | 'long_run_id'
  | 'garbled_run_id'
  | 'bad_sequence'
  | 'missing_digest'
  | 'missing_args'
  | 'incomplete_match'
  | 'not_operator'
  | 'misplaced_policy';

/** A rule that is broken, and a sentence that says what to do. */
export interface Breach {
  readonly code: RuleCode;
  readonly detail: string;
}

const RUN_ID_BYTES = 256;
const OPERATOR = 'operator';
const POLICY_RUN = '*';
const POLICY_SOURCE = 'policy';

/** The rule that an event breaks; null: none. Gateways ask before they write, readers after they read. */
export function eventBreach(event: ReadEvent): Breach | null {
  switch (event.type) {
    case 'policy':
      return runIdBreach(event.runId) ?? policyBreach(event);
    case 'release':
      return commonBreach(event) ?? releaseBreach(event);
    case 'tool_result':
      return commonBreach(event) ?? resultBreach(event);
    default:
      return commonBreach(event);
  }
}

/** The rules of what stands first in events and verdicts. */
export function commonBreach(event: EventBase | VerdictHead): Breach | null {
  if (event.sequence < 1) {
    return breach('bad_sequence', `the sequence is ${event.sequence}; sequences count 1, 2, 3, …`);
  }
  return runIdBreach(event.runId);
}

export function verdictBreach(verdict: Verdict): Breach | null {
  return commonBreach(verdict) ?? matchBreach(verdict.match);
}

function breach(code: RuleCode, detail: string): Breach {
  return { code, detail };
}

/** Bytes that are no UTF-8 are read as U+FFFD: two such ids would become one run. */
function runIdBreach(runId: string): Breach | null {
  if (runId.trim() === '') return breach('blank_run_id', 'the run id is blank; name the run');
  if (3 * runId.length > RUN_ID_BYTES && Buffer.byteLength(runId) > RUN_ID_BYTES) {
    return breach('long_run_id', `the run id is longer than ${RUN_ID_BYTES} bytes`);
  }
  return runId.includes('\ufffd') ? breach('garbled_run_id', 'the run id is no valid UTF-8') : null;
}

function resultBreach(event: ToolResult): Breach | null {
  if ((event.outcome === 'result' || event.outcome === 'error') && event.digest === null) {
    return breach('missing_digest', `an outcome of ${event.outcome} needs its digest`);
  }
  if (event.outcome === 'vetoed' && event.args === null) {
    return breach('missing_args', 'a veto carries the digest of the arguments that were refused');
  }
  return null;
}

function releaseBreach(event: OperatorRelease): Breach | null {
  return operatorBreach(event) ?? (event.match === null ? null : matchBreach(event.match));
}

/** A revision is an offset and may be 0, and with it the sequence. */
function policyBreach(event: PolicyApplied): Breach | null {
  const { runId, source, sequence, revision } = event;
  if (runId !== POLICY_RUN || source !== POLICY_SOURCE || sequence !== revision || revision < 0) {
    return breach(
      'misplaced_policy',
      'a policy event has run id "*", source "policy" and its revision as sequence',
    );
  }
  return operatorBreach(event);
}

function operatorBreach(event: EventBase): Breach | null {
  if (event.gatewayId === OPERATOR) return null;
  return breach('not_operator', `operator events have the gateway id "${OPERATOR}"`);
}

function matchBreach({ scope, tool, args }: Match): Breach | null {
  const complete = scope === 'run' || (tool !== null && (scope === 'tool' || args !== null));
  return complete
    ? null
    : breach('incomplete_match', `a match of scope ${scope} lacks its tool or arguments`);
}

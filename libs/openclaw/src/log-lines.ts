import type { GatewayFact, Observer } from '@loopwarden/gateway';
import { Patience } from './calmly.ts';
import type { HostLogger } from './host.ts';

/** Writes what an operator wants to read of a gateway into the host's log. */
export function logLines(logger: HostLogger): Observer {
  const patience = new Patience();
  return (fact) => {
    const line = lineOf(fact);
    if (line === null) return;
    const [level, text, isFrequent] = line;
    if (isFrequent) patience.now(fact.kind, (more) => logger[level](`Loopwarden: ${text}${more}`));
    else logger[level](`Loopwarden: ${text}`);
  };
}

type Line = readonly [level: 'info' | 'warn', text: string, isFrequent?: boolean];

function lineOf(fact: GatewayFact): Line | null {
  switch (fact.kind) {
    case 'vetoed': {
      const why = fact.verdict === null ? 'without a verdict' : fact.verdict.message;
      return ['warn', `refused ${fact.tool} of run ${fact.runId}: ${why}`];
    }
    case 'warned':
      return ['info', `warned run ${fact.runId}: ${fact.verdict.message}`];
    case 'late':
      return [
        'warn',
        `${fact.tool} of run ${fact.runId} ran ${fact.lateMs} ms before the verdict that refuses it`,
      ];
    case 'despite':
      return ['info', `${fact.tool} of run ${fact.runId} ran although refused (${fact.why})`, true];
    case 'undecided':
      return [
        'warn',
        `nothing was judged within ${fact.waitedMs} ms; such calls are left ${fact.onDeadline}`,
        true,
      ];
    case 'stale':
      return ['warn', 'no detector has spoken for a minute', true];
    case 'dropped':
      return ['warn', `an event of run ${fact.runId} is lost (${fact.why})`, true];
    case 'bad_call':
      return ['warn', `what OpenClaw told of run ${fact.runId} cannot be read: ${fact.detail}`, true];
    case 'unreachable':
      return ['warn', `the log cannot be reached; events are kept: ${fact.detail}`, true];
    case 'reachable':
      return ['info', 'the log can be reached again', true];
    case 'policy':
      return ['info', `policy revision ${fact.revision}${fact.enforce ? '' : '; nothing is enforced'}`, true];
    default:
      return null;
  }
}

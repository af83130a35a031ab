import type { Verdict } from '@loopwarden/detection';
import { Command } from 'commander';
import { withSettings } from '../config/setting-flags.ts';
import { EXIT } from '../exit-code.ts';
import { onInterrupt } from '../terminal/interrupt.ts';
import { jsonText } from '../terminal/json-text.ts';
import { type Output, terminalOutput } from '../terminal/output.ts';
import { clockText } from '../terminal/time-text.ts';
import { type Outcome, refuse, succeed } from '../user-error.ts';
import { followVerdicts } from '../verdicts/follow-verdicts.ts';
import { verdictLine } from '../verdicts/verdict-line.ts';
import { type Session, withLog } from '../with-log.ts';

/** Only verdicts that agree with every field given. */
export interface VerdictFilter {
  readonly run?: string;
  readonly agent?: string;
  readonly gateway?: string;
  readonly detector?: string;
}

interface TailOptions extends VerdictFilter {
  readonly since?: string;
  readonly json?: boolean;
}

export function tailCommand(output: Output = terminalOutput): Command {
  const command = new Command('tail')
    .summary('show verdicts as they come')
    .description('Shows verdicts as they come; ends with Ctrl-C.')
    .option('--run <id>', 'only of this run')
    .option('--agent <id>', 'only of this agent')
    .option('--gateway <id>', 'only of runs that this gateway serves')
    .option('--detector <name>', 'only of this detector, such as generic_repeat')
    .option('--since <time>', 'begin at this time (ISO 8601) instead of now')
    .option('--json', 'print one verdict a line');
  return withSettings(command).action(async (options: TailOptions) => {
    process.exitCode = await withLog({ options: { ...options }, output }, (session) =>
      tail(session, options),
    );
  });
}

async function tail({ opened, output }: Session, options: TailOptions): Promise<Outcome<number>> {
  const { since, json } = options;
  const timestamp = Date.parse(since ?? '');
  if (since !== undefined && Number.isNaN(timestamp)) {
    return refuse(
      'bad_time',
      `--since must be a time in ISO 8601, such as 2026-01-31T12:00:00Z, and is "${since}".`,
    );
  }
  const from = since === undefined ? 'end' : { timestamp };
  await followVerdicts(opened, { from, signal: onInterrupt() }, ({ verdict, record }) => {
    if (!passes(verdict, options)) return;
    const time = output.paint('dim', clockText(record.timestamp));
    output.out(json ? jsonText(verdict) : `${time}  ${verdictLine(verdict, output)}`);
  });
  return succeed(EXIT.clean);
}

export function passes(verdict: Verdict, { run, agent, gateway, detector }: VerdictFilter): boolean {
  const wanted = [
    [run, verdict.runId],
    [agent, verdict.agentId],
    [gateway, verdict.gatewayId],
    [detector, verdict.detector],
  ];
  return wanted.every(([want, has]) => want === undefined || want === has);
}

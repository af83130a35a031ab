import { Command } from 'commander';
import { withSettings } from '../config/setting-flags.ts';
import { EXIT } from '../exit-code.ts';
import { type GatewayAccount, percentile } from '../gateways/gateway-account.ts';
import { readAccounts } from '../gateways/read-accounts.ts';
import { jsonText } from '../terminal/json-text.ts';
import { type Output, terminalOutput } from '../terminal/output.ts';
import { printable, spanText } from '../terminal/printable.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { timeText } from '../terminal/time-text.ts';
import { type Outcome, refuse, succeed } from '../user-error.ts';
import { type Session, withLog } from '../with-log.ts';

interface GatewaysOptions {
  readonly since?: string;
  readonly json?: boolean;
}

const HELP = `
FIRST AFTER: from a verdict to the first call that it refused (or the run that it ended). That is when the agent
tried again, its model's thinking included, and not how fast the gateway learnt of the verdict.
LATE BY: from a late call to the verdict that came too late for it. This is what faster verdicts would save.
p50: half of them are at most this; p99: 99 of 100 are.`;

export function gatewaysCommand(output: Output = terminalOutput): Command {
  const command = new Command('gateways')
    .summary('show which gateways obey, and what came too late')
    .description(
      'Shows what each gateway made of verdicts: calls refused, calls that ran before the verdict came (late), calls ' +
        'that ran although it was known (disobeyed, or despite with the reason told).',
    )
    .option('--since <time>', 'only what happened since this time (ISO 8601)')
    .option('--json', 'print one object per gateway');
  return withSettings(command)
    .addHelpText('after', HELP)
    .action(async (options: GatewaysOptions) => {
      process.exitCode = await withLog({ options: { ...options }, output }, (session) =>
        show(session, options),
      );
    });
}

async function show({ opened, output }: Session, { since, json }: GatewaysOptions): Promise<Outcome<number>> {
  const timestamp = Date.parse(since ?? '');
  if (since !== undefined && Number.isNaN(timestamp)) {
    return refuse(
      'bad_time',
      `--since must be a time in ISO 8601, such as 2026-01-31T12:00:00Z, and is "${since}".`,
    );
  }
  const accounts = await readAccounts(opened, since === undefined ? 'start' : { timestamp });
  const { out, paint } = output;
  if (json) for (const account of accounts) out(jsonText(accountJson(account)));
  else if (accounts.length === 0) out('No gateway has written anything.');
  else
    for (const line of tableLines(columnsWith(output), accounts, (title) => paint('dim', title))) out(line);
  return succeed(EXIT.clean);
}

/** Durations as their number, median, the least that 99 of 100 do not exceed, and maximum. */
function accountJson({ runs, enforcedAfterMs, lateByMs, lastAt, ...counts }: GatewayAccount): object {
  return {
    ...counts,
    runs: runs.size,
    enforcedAfterMs: spread(enforcedAfterMs),
    lateByMs: spread(lateByMs),
    lastAt: timeText(lastAt),
  };
}

function spread(values: readonly number[]): object {
  const most = values.reduce((max, value) => Math.max(max, value), 0);
  const [median, p99] = [percentile(values, 0.5), percentile(values, 0.99)];
  return { count: values.length, median, p99, max: values.length === 0 ? null : most };
}

function columnsWith({ paint }: Output): readonly Column<GatewayAccount>[] {
  const count = (title: string, of: (account: GatewayAccount) => number): Column<GatewayAccount> => ({
    title,
    align: 'right',
    cell: (account) => String(of(account)),
  });
  const alarming = (column: Column<GatewayAccount>, is: (account: GatewayAccount) => boolean) => ({
    ...column,
    paint: (text: string, account: GatewayAccount) => (is(account) ? paint('red', text) : text),
  });
  return [
    { title: 'GATEWAY', align: 'left', cell: ({ gatewayId }) => printable(gatewayId, 32) },
    count('RUNS', ({ runs }) => runs.size),
    count('CALLS', ({ calls }) => calls),
    count('WARNED', ({ warnings }) => warnings),
    count('VETOED', ({ vetoes }) => vetoes),
    { title: 'FIRST AFTER', align: 'left', cell: ({ enforcedAfterMs }) => durationText(enforcedAfterMs) },
    count('ABORTED', ({ aborts }) => aborts),
    count('LATE', ({ late }) => late),
    { title: 'LATE BY', align: 'left', cell: ({ lateByMs }) => durationText(lateByMs) },
    alarming(
      count('DISOBEYED', ({ disobeyed }) => disobeyed),
      ({ disobeyed }) => disobeyed > 0,
    ),
    { title: 'DESPITE', align: 'left', cell: despiteText },
    alarming(
      count('LOST', ({ lost }) => lost),
      ({ lost }) => lost > 0,
    ),
    { title: 'LAST EVENT', align: 'left', cell: ({ lastAt }) => timeText(lastAt) },
  ];
}

/** Half of the durations are at most the first, 99 of 100 at most the second. */
function durationText(values: readonly number[]): string {
  const [half, most] = [percentile(values, 0.5), percentile(values, 0.99)];
  return half === null || most === null ? '–' : `p50 ${spanText(half)}, p99 ${spanText(most)}`;
}

function despiteText({ despite }: GatewayAccount): string {
  const told = Object.entries(despite).map(([why, count]) => `${why} ${count}`);
  return told.length === 0 ? '–' : told.join(', ');
}

import { Command } from 'commander';
import { withSettings } from '../config/setting-flags.ts';
import { EXIT } from '../exit-code.ts';
import { type GatewayAccount, median } from '../gateways/gateway-account.ts';
import { readAccounts } from '../gateways/read-accounts.ts';
import { jsonText } from '../terminal/json-text.ts';
import { type Output, terminalOutput } from '../terminal/output.ts';
import { printable } from '../terminal/printable.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { timeText } from '../terminal/time-text.ts';
import { type Outcome, refuse, succeed } from '../user-error.ts';
import { type Session, withLog } from '../with-log.ts';

interface GatewaysOptions {
  readonly since?: string;
  readonly json?: boolean;
}

export function gatewaysCommand(output: Output = terminalOutput): Command {
  const command = new Command('gateways')
    .summary('show which gateways obey, and how fast')
    .description(
      'Shows what each gateway made of verdicts: calls refused and how long after the verdict, calls that ran before ' +
        'the verdict came (late), calls that ran although it was known (disobeyed, or despite with the reason told).',
    )
    .option('--since <time>', 'only what happened since this time (ISO 8601)')
    .option('--json', 'print one object per gateway');
  return withSettings(command).action(async (options: GatewaysOptions) => {
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

/** Durations as their number, median and maximum. */
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
  return { count: values.length, median: median(values), max: values.length === 0 ? null : most };
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
    { title: 'AFTER', align: 'right', cell: ({ enforcedAfterMs }) => durationText(enforcedAfterMs) },
    count('ABORTED', ({ aborts }) => aborts),
    count('LATE', ({ late }) => late),
    { title: 'BY', align: 'right', cell: ({ lateByMs }) => durationText(lateByMs) },
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

function durationText(values: readonly number[]): string {
  const middle = median(values);
  return middle === null ? '–' : `${Math.round(middle)} ms`;
}

function despiteText({ despite }: GatewayAccount): string {
  const told = Object.entries(despite).map(([why, count]) => `${why} ${count}`);
  return told.length === 0 ? '–' : told.join(', ');
}

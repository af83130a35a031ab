import { topicsOf } from '@loopwarden/schemas';
import type { Drift, Log } from '@loopwarden/stream';
import { openEmbeddedLog } from '@loopwarden/stream/embedded';
import { kafkaLog } from '@loopwarden/stream/kafka';
import { Command } from 'commander';
import { commandConfig } from '../config/command-config.ts';
import { withSettings } from '../config/setting-flags.ts';
import type { Config } from '../config/settings.ts';
import { EXIT } from '../exit-code.ts';
import { kafkaAccess } from '../kafka/kafka-access.ts';
import { logPresent } from '../open-log.ts';
import { jsonText } from '../terminal/json-text.ts';
import { type Output, terminalOutput } from '../terminal/output.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { type Outcome, succeed } from '../user-error.ts';
import { reportLogError } from '../with-log.ts';
import { reportError } from './report-error.ts';

const PLAN = {
  description: 'Shows what differs from the declared topics. Changes nothing.',
  help: `
Exit status: 0 when every topic is as declared, 1 when not, 2 where there is no log.`,
};

const APPLY = {
  description: 'Creates missing topics and repairs settings.',
  help: `
Never shrinks or deletes anything, and never changes how many partitions a topic has: that would move runs to other
partitions. Exit status: 0 when every topic is as declared afterwards, 1 when not.`,
};

interface Texts {
  readonly description: string;
  readonly help: string;
}

/** Topics as declared against topics as they are. */
export function topicsCommand(output: Output = terminalOutput): Command {
  const topics = new Command('topics')
    .summary('create and compare the topics')
    .description('Creates and compares the topics.');
  const subcommand = (name: string, { description, help }: Texts, task: Task): Command =>
    withSettings(
      topics.command(name).description(description).option('--json', 'print one object per difference'),
    )
      .addHelpText('after', help)
      .action(async (options: { json?: boolean }) => {
        process.exitCode = await run(options, output, task);
      });
  subcommand('plan', PLAN, plan);
  subcommand('apply', APPLY, apply);
  return topics;
}

interface Task {
  /** Whether an embedded log is made where there is none. */
  readonly creates: boolean;
  /** Gives the differences that there are when it is through. */
  readonly run: (log: Log, config: Config) => Promise<readonly Drift[]>;
}

const plan: Task = { creates: false, run: (log, { topics }) => log.admin.plan(topicsOf(topics)) };
const apply: Task = { creates: true, run: (log, { topics }) => log.admin.apply(topicsOf(topics)) };

async function run(options: { json?: boolean }, output: Output, task: Task): Promise<number> {
  const loaded = commandConfig({ ...options }, 'operate', output);
  if (!loaded.ok) return reportError(loaded.error, output);
  const { config } = loaded.value;
  try {
    const log = await openBare(config, task);
    if (!log.ok) return reportError(log.error, output);
    const drift = await task.run(log.value, config).finally(() => log.value.close());
    for (const line of lines(drift, options.json === true, output)) output.out(line);
    return drift.length === 0 ? EXIT.clean : EXIT.failed;
  } catch (error) {
    return reportLogError(error, output);
  }
}

/** The log alone: topics come before schemas. */
async function openBare(config: Config, { creates }: Task): Promise<Outcome<Log>> {
  if (config.log === 'embedded') {
    const present = creates ? succeed(null) : logPresent(config.dataDir);
    return present.ok ? succeed(await openEmbeddedLog({ dir: config.dataDir })) : present;
  }
  const access = kafkaAccess(config);
  return access.ok ? succeed(kafkaLog(access.value)) : access;
}

const COLUMNS: readonly Column<Drift>[] = [
  { title: 'TOPIC', align: 'left', cell: ({ topic }) => topic },
  {
    title: 'SETTING',
    align: 'left',
    cell: ({ setting, actual }) => (actual === null ? 'the topic' : setting),
  },
  {
    title: 'DECLARED',
    align: 'left',
    cell: ({ expected, actual }) => (actual === null ? 'present' : expected),
  },
  { title: 'IS', align: 'left', cell: ({ actual }) => actual ?? 'missing' },
];

function lines(drift: readonly Drift[], json: boolean, { paint }: Output): readonly string[] {
  if (json) return drift.map((one) => jsonText(one));
  if (drift.length === 0) return ['Every topic is as declared.'];
  return tableLines(COLUMNS, drift, (title) => paint('dim', title));
}

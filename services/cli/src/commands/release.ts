import { DEFAULT_POLICY, type OperatorRelease, readAppliedPolicy } from '@loopwarden/detection';
import { partitionOf } from '@loopwarden/stream';
import { Command } from 'commander';
import { EXIT } from '../exit-code.ts';
import { actorOf } from '../operator/actor.ts';
import { signingKeyOf } from '../operator/operator-keys.ts';
import { type OperatorOptions, operatorFlags, withOperator } from '../operator/operator-options.ts';
import { hashWith, releaseEvent } from '../operator/release-event.ts';
import { signedRecord } from '../operator/signed-record.ts';
import { isLiftedBy, verdictsOn } from '../operator/verdicts-on.ts';
import { policyInForce } from '../policy/policy-in-force.ts';
import { jsonText } from '../terminal/json-text.ts';
import { type Output, terminalOutput } from '../terminal/output.ts';
import { printable } from '../terminal/printable.ts';
import { type Outcome, succeed } from '../user-error.ts';
import { type Session, withLog } from '../with-log.ts';

interface ReleaseOptions extends OperatorOptions {
  readonly run: string;
  readonly tool?: string;
  readonly args?: string;
  readonly epoch?: string;
}

const HELP = `
Without --tool everything that stands against the run is lifted, an abort too. A run that goes on looping is
stopped again. A run on which the log holds no verdict, and a tool or call that nothing stands against, are said on
standard error; the release is written all the same.

  loopwarden release --run r-17 --reason "the build was stuck, it is mended"
  loopwarden release --run r-17 --tool read --args '{"path": "a.ts"}' --reason "needs to be read again"

Exit status: 0 written, 1 the log failed, 2 refused.`;

export function releaseCommand(output: Output = terminalOutput): Command {
  const command = new Command('release')
    .summary('lift what stands against a run')
    .description('Lifts what stands against a run: all of it, of one tool, or of one call.')
    .requiredOption('--run <id>', 'the run')
    .option('--tool <name>', 'only what stands against this tool')
    .option('--args <json>', 'only against the call with these arguments')
    .option('--epoch <number>', 'only in this epoch of the run: ignored if the run has begun anew since');
  return withOperator(command)
    .addHelpText('after', HELP)
    .action(async (options: ReleaseOptions) => {
      process.exitCode = await withLog({ options: operatorFlags(options), output }, (session) =>
        release(session, options),
      );
    });
}

async function release(
  { config, opened, output }: Session,
  options: ReleaseOptions,
): Promise<Outcome<number>> {
  const key = signingKeyOf(config);
  if (!key.ok) return key;
  const current = await policyInForce(opened, config);
  if (!current.ok) return current;
  const newest = current.value;
  const policy = newest === null ? null : readAppliedPolicy(newest.policy);
  const { profiles } = policy ?? DEFAULT_POLICY;
  const wish = { ...options, actor: actorOf(options.actor) };
  const event = releaseEvent(wish, { profiles, hash: hashWith(config.digest.secret) });
  if (!event.ok) return event;
  const { log, codec, topics } = opened;
  const ranges = await log.reader.ranges(topics.events);
  const { runId, source } = event.value;
  const partition = partitionOf(runId, ranges.length);
  const value = codec.encodeEvent(event.value);
  const warning = warningOf(event.value, await verdictsOn(opened, { runId, partition }));
  if (warning !== null) output.err(warning);
  const record = signedRecord({ topic: topics.events, partition, key: runId, value }, key.value);
  const [position] = await log.writer().append([record]);
  const match = event.value.match;
  output.out(
    options.json
      ? jsonText({ runId, match, source, partition, offset: position?.offset })
      : output.paint(
          'green',
          `Written: ${whatText(options)} of run ${printable(runId)} is lifted as soon as a detector reads this.`,
        ),
  );
  return succeed(EXIT.clean);
}

/** What a release may miss; null: nothing. The run may be older than what the log holds, so this is no refusal. */
function warningOf(
  { runId, match }: OperatorRelease,
  { judged, standing }: Awaited<ReturnType<typeof verdictsOn>>,
): string | null {
  const run = printable(runId);
  if (!judged) {
    return `loopwarden: The log holds no verdict on run ${run}: is that its name? Written all the same. [run_unknown]`;
  }
  if (match === null || standing.some((verdict) => isLiftedBy(verdict, match))) return null;
  const what = match.scope === 'tool' ? 'this tool' : 'this call';
  return `loopwarden: Nothing stands against ${what} of run ${run}: are --tool and --args right? Written all the same. [nothing_stands]`;
}

function whatText({ tool, args }: ReleaseOptions): string {
  if (tool === undefined) return 'everything that stands';
  return args === undefined
    ? `what stands against ${printable(tool)}`
    : `what stands against that call of ${printable(tool)}`;
}

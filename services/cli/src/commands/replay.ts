import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { withSettings } from '../config/setting-flags.ts';
import { EXIT } from '../exit-code.ts';
import { followInput, type InputList, listInputs, STANDARD_INPUT } from '../input/inputs.ts';
import { WATCHING } from '../policy/policy-file.ts';
import { readPolicyToTry } from '../policy/policy-to-try.ts';
import { JsonReport } from '../replay/json-report.ts';
import { InputReading, type InputTotals } from '../replay/read-inputs.ts';
import { Replay } from '../replay/replay.ts';
import { TextReport } from '../replay/text-report.ts';
import { type Output, terminalOutput } from '../terminal/output.ts';
import { counted } from '../terminal/printable.ts';
import { startProgress } from '../terminal/progress.ts';
import { EXPECTED } from '../transcript/formats.ts';
import { type Outcome, refuse, succeed, type UserError } from '../user-error.ts';
import { type LogReplayFlags, replayFromLog } from './replay-log.ts';
import { reportError } from './report-error.ts';

const SAMPLES = fileURLToPath(new URL('../../samples', import.meta.url));

interface ReplayOptions extends LogReplayFlags {
  readonly follow?: boolean;
  readonly demo?: boolean;
}

const HELP = `
PATH is a file, a folder, or - for standard input. What a file holds is told by its content: events in the
public JSON form, or transcripts of OpenClaw, Claude Code and Codex.

A run goes from a prompt to the next; subagents and side chains are runs of their own.

With --from, --to, --run or --agent, and no PATH, events are taken from the log: they are judged again, with the
policies of then, and the verdicts compared with those that were published: equal, different, missing (recomputed, not
published), unexpected (published, not recomputed) or pending (no detector judged its event yet). With --policy also
with what that one would have led to: its verdicts begin with "policy" and their ids with ~, for nobody published
them. Runs would have been blocked earlier, later, never or newly. Nothing is written to the log.

Exit status: 0 no verdict, 3 verdicts found, 2 input that cannot be used, 1 something unexpected. Of the log: 0 what
was published is what is recomputed, 3 something differs, 2 no event of that run, agent or
time.

  loopwarden replay --demo
  loopwarden replay ~/.claude/projects --json > loops.jsonl
  loopwarden replay session.jsonl --policy openclaw.json5
  loopwarden replay --from 2026-01-31T12:00:00Z --to 2026-01-31T14:00:00Z --policy stricter.json5`;

export function replayCommand(output: Output = terminalOutput): Command {
  const command = new Command('replay')
    .summary('find the loops in recorded runs, or judge the log again')
    .description('Plays recorded runs through the detector and shows which loops it finds, and why.')
    .argument('[path]', 'file, folder, or - for standard input')
    .option('-p, --policy <file>', 'policy in JSON5; without one, detectors are on with their defaults')
    .option('--json', 'one JSON object a line: run, verdict, summary')
    .option('-f, --follow', 'go on while the file grows; ends with Ctrl-C')
    .option('--demo', 'replay the sample transcripts that come along')
    .option('--from <time>', 'of the log: events from this time on (ISO 8601)')
    .option('--to <time>', 'of the log: events before this time (ISO 8601)')
    .option('--run <id>', 'of the log: only this run')
    .option('--agent <id>', 'of the log: only verdicts of this agent')
    .addHelpText('after', HELP);
  return withSettings(command).action(async (path: string | undefined, options: ReplayOptions) => {
    process.exitCode = isOfLog(options)
      ? await replayOfLog(path, options, output)
      : await replayPath(path, options, output);
  });
}

function isOfLog({ from, to, run, agent }: ReplayOptions): boolean {
  return [from, to, run, agent].some((flag) => flag !== undefined);
}

async function replayOfLog(
  path: string | undefined,
  options: ReplayOptions,
  output: Output,
): Promise<number> {
  const { follow, demo } = options;
  if (path === undefined && !follow && !demo) return replayFromLog(options, output);
  const message =
    '--from, --to, --run and --agent are about the log. Leave out PATH, --follow and --demo, or them.';
  return reportError({ code: 'log_or_path', message }, output);
}

async function replayPath(path: string | undefined, options: ReplayOptions, output: Output): Promise<number> {
  const policy =
    options.policy === undefined ? succeed(WATCHING) : await readPolicyToTry(options.policy, output);
  if (!policy.ok) return reportError(policy.error, output);
  const stopped = new AbortController();
  if (options.follow) process.once('SIGINT', () => stopped.abort());
  const inputs = await inputsOf(path, options, stopped.signal);
  if (!inputs.ok) return reportError(inputs.error, output);
  const report = options.json ? new JsonReport(output) : new TextReport(output, options.follow === true);
  const replay = new Replay(policy.value, report);
  const progress = startProgress(options.follow ? null : sizeOf(inputs.value));
  const reading = new InputReading({ ...report.input, progress: progress.add });
  for (const input of inputs.value.inputs) await reading.read(input, replay);
  const expected = reading.totals.refused > 0;
  for (const link of inputs.value.links)
    reading.refuse(link, `${link} is a symbolic link, and not followed.`);
  progress.stop();
  replay.finish();
  sayRefused(reading.totals, { expected, ...output });
  const { formats, invalid, events } = reading.totals;
  const usable = formats.size > 0 && (invalid === 0 || invalid < events);
  if (usable || options.json) report.close(reading.totals, replay.notes);
  if (!usable) return reportError(formats.size > 0 ? NO_VALID_EVENT : NO_TRANSCRIPT, output);
  return report.totals.looping > 0 ? EXIT.verdicts : EXIT.clean;
}

async function inputsOf(
  path: string | undefined,
  { demo, follow }: ReplayOptions,
  signal: AbortSignal,
): Promise<Outcome<InputList>> {
  if (demo && (path !== undefined || follow)) {
    return refuse(
      'demo_alone',
      '--demo replays the samples that come along: leave out PATH and --follow, or it.',
    );
  }
  if (demo) return listInputs(SAMPLES);
  const named = path ?? (process.stdin.isTTY ? undefined : STANDARD_INPUT);
  if (named === undefined) {
    return refuse('path_missing', 'Name a transcript or a folder, or try: loopwarden replay --demo');
  }
  return follow ? followInput(named, signal) : listInputs(named);
}

const NO_TRANSCRIPT: UserError = {
  code: 'no_transcript',
  message: 'Nothing was replayed: no file is a transcript or holds events. Name one that is.',
};

const NO_VALID_EVENT: UserError = {
  code: 'bad_events',
  message: 'Nothing was replayed: every event breaks a rule of the form. Mend what is named above.',
};

/** @param expected whether to say what a file must hold */
function sayRefused(
  { refused, refusedFiles }: InputTotals,
  { expected, err }: Output & { readonly expected: boolean },
): void {
  const unnamed = refused - refusedFiles.length;
  if (unnamed > 0) err(`skipped: ${counted(unnamed, 'more file')}.`);
  if (expected) err(`Expected ${EXPECTED}.`);
}

function sizeOf({ inputs }: InputList): number | null {
  return inputs.reduce<number | null>(
    (sum, { bytes }) => (sum === null || bytes === null ? null : sum + bytes),
    0,
  );
}

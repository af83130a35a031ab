import { fileURLToPath } from 'node:url';
import { compilePolicy } from '@loopwarden/detection';
import { Command } from 'commander';
import { EXIT } from '../exit-code.ts';
import { followInput, type InputList, listInputs, STANDARD_INPUT } from '../input/inputs.ts';
import type { JsonObject } from '../json-value.ts';
import { readPolicyFile, WATCHING } from '../policy/policy-file.ts';
import { JsonReport } from '../replay/json-report.ts';
import { InputReading, type InputTotals } from '../replay/read-inputs.ts';
import { Replay } from '../replay/replay.ts';
import { TextReport } from '../replay/text-report.ts';
import { type Output, terminalOutput } from '../terminal/output.ts';
import { counted } from '../terminal/printable.ts';
import { startProgress } from '../terminal/progress.ts';
import { EXPECTED } from '../transcript/formats.ts';
import { type Outcome, refuse, succeed } from '../user-error.ts';
import { reportError } from './report-error.ts';

const SAMPLES = fileURLToPath(new URL('../../samples', import.meta.url));

interface ReplayOptions {
  readonly policy?: string;
  readonly json?: boolean;
  readonly follow?: boolean;
  readonly demo?: boolean;
}

const DETECTORS_OFF =
  'this policy leaves the detectors off for agents that it does not name; tools.loopDetection.enabled turns them on.';

const HELP = `
PATH is a file, a folder, or - for standard input. What a file holds is told by its content: events in the
public JSON form, or transcripts of OpenClaw, Claude Code and Codex.

A run goes from a prompt to the next; subagents and side chains are runs of their own.

Exit status: 0 no verdict, 3 verdicts found, 2 input that cannot be used, 1 something unexpected.

  loopwarden replay --demo
  loopwarden replay ~/.claude/projects --json > loops.jsonl
  loopwarden replay session.jsonl --policy openclaw.json5`;

export function replayCommand(output: Output = terminalOutput): Command {
  return new Command('replay')
    .summary('find the loops in recorded runs')
    .description('Plays recorded runs through the detector and shows which loops it finds, and why.')
    .argument('[path]', 'file, folder, or - for standard input')
    .option('-p, --policy <file>', 'policy in JSON5; without one, detectors are on with their defaults')
    .option('--json', 'one JSON object a line: run, verdict, summary')
    .option('-f, --follow', 'go on while the file grows; ends with Ctrl-C')
    .option('--demo', 'replay the sample transcripts that come along')
    .addHelpText('after', HELP)
    .action(async (path: string | undefined, options: ReplayOptions) => {
      process.exitCode = await replayPath(path, options, output);
    });
}

async function replayPath(path: string | undefined, options: ReplayOptions, output: Output): Promise<number> {
  const policy = await policyOf(options.policy, output);
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
  progress.stop();
  replay.finish();
  sayRefused(reading.totals, output);
  const { formats, invalid, events } = reading.totals;
  const usable = formats.size > 0 && (invalid === 0 || invalid < events);
  if (usable || options.json) report.close(reading.totals, replay.notes);
  if (!usable) return EXIT.badInput;
  return report.totals.looping > 0 ? EXIT.verdicts : EXIT.clean;
}

/** Whether the detectors are on for agents that the policy does not name. */
function isWatching(document: JsonObject): boolean {
  return compilePolicy(document).settingsFor(null).enabled === true;
}

async function policyOf(path: string | undefined, { err }: Output): Promise<Outcome<JsonObject>> {
  if (path === undefined) return succeed(WATCHING);
  const read = await readPolicyFile(path);
  if (!read.ok) return read;
  const { document, issues, hints } = read.value;
  if (issues.length === 0) {
    for (const { message } of hints) err(`note: ${message}`);
    if (!isWatching(document)) err(`note: ${DETECTORS_OFF}`);
    return succeed(document);
  }
  const sentences = issues.map(({ message }) => `\n  ${message}`).join('');
  return refuse('policy_refused', `The policy "${path}" is refused:${sentences}`);
}

async function inputsOf(
  path: string | undefined,
  { demo, follow }: ReplayOptions,
  signal: AbortSignal,
): Promise<Outcome<InputList>> {
  if (demo) return listInputs(SAMPLES);
  const named = path ?? (process.stdin.isTTY ? undefined : STANDARD_INPUT);
  if (named === undefined) {
    return refuse('path_missing', 'Name a transcript or a folder, or try: loopwarden replay --demo');
  }
  return follow ? followInput(named, signal) : listInputs(named);
}

function sayRefused({ refused, refusedFiles }: InputTotals, { err }: Output): void {
  const unnamed = refused - refusedFiles.length;
  if (unnamed > 0) err(`skipped: ${counted(unnamed, 'more file')}.`);
  if (refused > 0) err(`Expected ${EXPECTED}.`);
}

function sizeOf({ inputs }: InputList): number | null {
  return inputs.reduce<number | null>(
    (sum, { bytes }) => (sum === null || bytes === null ? null : sum + bytes),
    0,
  );
}

import { createReadStream, globSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Command } from 'commander';
import { type ConformanceCase, readCase } from '../conformance/case.ts';
import { differenceLines } from '../conformance/difference.ts';
import { playCase } from '../conformance/play-case.ts';
import { EXIT } from '../exit-code.ts';
import { readLines } from '../input/lines.ts';
import { type JsonObject, parseJson } from '../json-value.ts';
import { jsonText } from '../terminal/json-text.ts';
import { type Output, terminalOutput } from '../terminal/output.ts';
import { printable, printableLines } from '../terminal/printable.ts';
import { type Outcome, refuse, succeed } from '../user-error.ts';
import { reportError } from './report-error.ts';

const HELP = `
Without a FILE the recorded cases of this checkout are played. Each line of a FILE is a case: a policy, events in the public JSON form, and what a gateway decides. A case
runs through the whole chain: event, detector, verdicts, standing verdicts, decision.

--json prints {"id", "actual"} for each case, in the form of its "expect" (of a case on a policy: the issues),
whether or not the case says what to expect. A line that is no case is told, and the next one is played.

Exit status: 0 all hold, 1 some do not, 2 there was input that cannot be used.`;

export function conformanceCommand(output: Output = terminalOutput): Command {
  return new Command('conformance')
    .summary('play recorded cases and compare')
    .description('Plays recorded cases through the whole chain and compares what a gateway decides.')
    .argument('[file...]', 'cases, one JSON object a line')
    .option('--json', 'print what each case leads to instead of comparing')
    .addHelpText('after', HELP)
    .action(async (named: readonly string[], { json }: { json?: boolean }) => {
      const files = named.length > 0 ? named : recordedCases();
      process.exitCode = json ? await printActual(files, output) : await compare(files, output);
    });
}

/** The cases that the product itself is held to; none where it was installed without its tests. */
function recordedCases(): readonly string[] {
  const folder = join(import.meta.dirname, '../../../../test/conformance');
  return globSync(join(folder, '*.jsonl')).sort();
}

interface Played {
  readonly played: ConformanceCase;
  readonly actual: readonly JsonObject[];
}

async function printActual(files: readonly string[], output: Output): Promise<number> {
  let unusable = false;
  for await (const result of playFiles(files)) {
    if (result.ok) output.out(jsonText({ id: result.value.played.id, actual: result.value.actual }));
    else {
      reportError(result.error, output);
      unusable = true;
    }
  }
  return unusable ? EXIT.badInput : EXIT.clean;
}

async function compare(files: readonly string[], output: Output): Promise<number> {
  const count = { held: 0, broken: 0, silent: 0, unusable: 0 };
  for await (const result of playFiles(files)) {
    if (!result.ok) {
      reportError(result.error, output);
      count.unusable += 1;
    } else if (result.value.played.expect === null) count.silent += 1;
    else if (holds(result.value, output)) count.held += 1;
    else count.broken += 1;
  }
  if (Object.values(count).every((number) => number === 0))
    return reportError({ code: 'no_cases', message: 'There are no cases in what you named.' }, output);
  const clean = count.broken + count.unusable === 0;
  const silent = count.silent === 0 ? '' : `; ${count.silent} say nothing to compare`;
  const unusable = count.unusable === 0 ? '' : `; ${count.unusable} cannot be used`;
  const sentence = `${count.held} of ${count.held + count.broken} cases hold${silent}${unusable}.`;
  output.out(output.paint(clean ? 'green' : 'red', sentence));
  if (count.unusable > 0) return EXIT.badInput;
  return count.broken === 0 ? EXIT.clean : EXIT.failed;
}

/** Whether a case led to what it expects; says where not. */
function holds({ played, actual }: Played, { out, paint }: Output): boolean {
  const { id, desc, expect } = played;
  if (expect === null || isDeepStrictEqual(actual, expect)) return true;
  out(`${paint('red', 'differs')} ${paint('bold', printable(id))}  ${paint('dim', printable(desc, 400))}`);
  for (const line of differenceLines(played, expect, actual)) out(`  ${printableLines(line)}`);
  return false;
}

async function* playFiles(files: readonly string[]): AsyncGenerator<Outcome<Played>> {
  for (const path of files) {
    try {
      for await (const line of readLines(createReadStream(path))) {
        if (line.text?.trim() === '') continue;
        yield playLine(`${path}:${line.number}`, line.text);
      }
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error;
      yield refuse('cases_unreadable', `The cases "${path}" cannot be read. Check the path.`);
    }
  }
}

function playLine(place: string, text: string | null): Outcome<Played> {
  const played = text === null ? null : readCase(parseJson(text));
  if (played === null) {
    return refuse(
      'no_case',
      `${place} is no case. Expected a JSON object with "id", "policy" and a list of "events".`,
    );
  }
  const result = playCase(played);
  if (!result.ok) return refuse(result.error.code, `${place} (${played.id}): ${result.error.message}`);
  return succeed({ played, actual: result.actual });
}

import type { Verdict } from '@loopwarden/detection';
import { ACTION_STYLE, subjectOf } from '../replay/people.ts';
import type { Output } from '../terminal/output.ts';
import { counted } from '../terminal/printable.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { reasonText } from '../verdicts/verdict-line.ts';
import type { Ending } from './play-story.ts';
import { isLoop, type Story } from './story.ts';

/** What is about to be seen. */
export function demoOpening(stories: readonly Story[], { paint }: Output): readonly string[] {
  const loops = stories.filter(isLoop).length;
  return [
    paint('bold', `${stories.length} simulated agents begin to work. ${loops} of them will loop.`),
    paint('dim', 'Nobody tells the detector which. Verdicts as they come:'),
    '',
  ];
}

/** A verdict on the demo's fleet; null: a withdrawal or a warning said again. */
export function demoVerdict(verdict: Verdict, elapsedMs: number, { paint }: Output): string | null {
  const { action, agentId, level } = verdict;
  if (action === 'release' || level > 1) return null;
  const time = paint('dim', `${(elapsedMs / 1000).toFixed(1).padStart(5)} s`);
  const word = paint(ACTION_STYLE[action], action.toUpperCase().padEnd(5));
  return `${time}  ${word}  ${(agentId ?? '').padEnd(9)} ${paint('bold', subjectOf(verdict).padEnd(16))} ${reasonText(verdict)}`;
}

/** Whether every loop was stopped, and nothing else. */
export function endedWell(endings: readonly Ending[]): boolean {
  return endings.every(({ story, end, refused }) => (isLoop(story) ? end !== 'completed' : refused === 0));
}

/** What was stopped and saved, and what to do next. */
export function demoSummary(
  endings: readonly Ending[],
  { dataDir }: { dataDir: string | null },
  output: Output,
): readonly string[] {
  const { paint } = output;
  const table = tableLines(columns(output), endings, (title) => paint('dim', title));
  return ['', ...table, '', ...resultLines(endings, output), '', ...nextLines(dataDir, output)];
}

function columns({ paint }: Output): readonly Column<Ending>[] {
  return [
    { title: 'AGENT', align: 'left', cell: ({ story }) => story.agent },
    { title: 'WHAT IT DOES', align: 'left', cell: ({ story }) => story.text },
    {
      title: 'ENDED',
      align: 'left',
      cell: ({ end }) => end,
      paint: (text, { end }) => paint(end === 'completed' ? 'green' : 'red', text),
    },
    { title: 'CALLS', align: 'right', cell: ({ calls }) => String(calls) },
    { title: 'WARNED', align: 'right', cell: ({ warnings }) => dash(warnings) },
    { title: 'REFUSED', align: 'right', cell: ({ refused }) => dash(refused) },
    {
      title: 'SPARED',
      align: 'right',
      cell: ({ spared }) => dash(spared),
      paint: (text) => paint('bold', text),
    },
  ];
}

function dash(count: number): string {
  return count === 0 ? '–' : String(count);
}

function resultLines(endings: readonly Ending[], { paint }: Output): readonly string[] {
  const loops = endings.filter(({ story }) => isLoop(story));
  const honest = endings.filter(({ story }) => !isLoop(story));
  const stopped = loops.filter(({ end }) => end !== 'completed').length;
  const untouched = honest.filter(({ refused }) => refused === 0).length;
  const sum = (field: 'refused' | 'spared'): number =>
    endings.reduce((total, ending) => total + ending[field], 0);
  const whole = endedWell(endings);
  return [
    paint(
      whole ? 'green' : 'red',
      `${stopped} of ${counted(loops.length, 'loop')} stopped; ${untouched} of ${counted(honest.length, 'honest run')} untouched.`,
    ),
    `${counted(sum('refused'), 'call')} refused; ${counted(sum('spared'), 'call')} never made that would have gone on.`,
  ];
}

function nextLines(dataDir: string | null, { paint }: Output): readonly string[] {
  const steps = [
    ['loopwarden replay ~/.claude/projects', 'finds the loops in runs that you have recorded'],
    ['loopwarden up', 'the same system, kept, for agents of your own'],
    ['loopwarden tail', 'shows its verdicts from another terminal'],
    dataDir === null
      ? ['loopwarden up --demo --data-dir FOLDER', 'keeps what this demo wrote, to look into']
      : [`loopwarden log cat control --data-dir ${dataDir}`, 'what this demo wrote'],
  ];
  const width = Math.max(...steps.map(([command]) => command?.length ?? 0));
  return [
    paint('bold', 'Next:'),
    ...steps.map(([command, text]) => `  ${(command ?? '').padEnd(width)}  ${paint('dim', text ?? '')}`),
  ];
}

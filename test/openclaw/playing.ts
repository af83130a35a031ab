import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PluginConfig } from '@loopwarden/openclaw';
import { uniqueName } from '../setup/kafka.ts';
import type { Guarding, Recorded } from './guarding.ts';
import { type Ended, type HomeOptions, OpenClawHome } from './openclaw-home.ts';
import {
  type Script,
  type ScriptedCall,
  type ScriptedModel,
  type Step,
  startScriptedModel,
} from './scripted-model.ts';

/** What the specs play with. */
export interface Stage {
  readonly command: string;
  /** Folder of the built plugin. */
  readonly plugin: string;
  readonly folder: string;
  readonly guarding: Guarding;
}

export interface Scene extends Partial<Pick<HomeOptions, 'ownDetection' | 'compaction' | 'contextWindow'>> {
  readonly script: Script;
  readonly config?: Partial<PluginConfig>;
  readonly play?: (home: OpenClawHome, model: ScriptedModel) => Promise<Ended>;
}

export interface Played extends Recorded {
  readonly ended: Ended;
  /** What the model was shown for each call, in order. */
  readonly seen: readonly string[];
  /** Commands that really ran. */
  readonly ran: number;
  /** What OpenClaw wrote into its log. */
  readonly log: string;
}

/** Lets OpenClaw work by a script and answers with what the model saw, what really ran, and what the log holds of it. */
export async function play(
  stage: Stage,
  { script, config = {}, play: act, ...options }: Scene,
): Promise<Played> {
  const { command, plugin, guarding } = stage;
  const name = uniqueName('scene');
  const folder = join(stage.folder, name);
  await mkdir(folder, { recursive: true });
  const model = await startScriptedModel(script);
  try {
    const { place, prefix } = guarding;
    const all = { log: place, prefix, gatewayId: name, ...config };
    const home = new OpenClawHome({ command, plugin, folder, model: model.url, config: all, ...options });
    await writeFile(join(home.workspace, 'a.txt'), 'the content of a');
    await writeFile(join(home.workspace, 'b.txt'), 'the content of b');
    const ended = act === undefined ? await home.turn() : await act(home, model);
    const recorded = await guarding.recorded(({ gatewayId }) => gatewayId === name);
    const seen = model.asked.flatMap(({ results }) => results);
    return {
      ...recorded,
      ended,
      seen,
      ran: linesOf(join(home.workspace, 'ran.txt')),
      log: textOf(join(folder, 'openclaw.log')),
    };
  } finally {
    await model.close();
  }
}

/** A command that leaves a line behind when it really runs. */
export const COMMAND: ScriptedCall = { tool: 'exec', args: { command: 'echo hi | tee -a ran.txt' } };

/** One message with these calls. */
export const asks = (...calls: readonly ScriptedCall[]): Step => ({ calls });

/** The steps one after the other, each as often as its number says. */
export function inTurn(...parts: readonly (readonly [times: number, step: Step])[]): Script {
  const steps = parts.flatMap(([times, step]) => Array.from({ length: times }, () => step));
  return (index) => steps[index];
}

/** What the model was shown, in a word each. */
export function words({ seen }: Pick<Played, 'seen'>): string[] {
  return seen.map((text) => {
    if (text.startsWith('CRITICAL: ')) return 'refused';
    return text.includes('WARNING: ') ? 'warned' : 'ran';
  });
}

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function linesOf(file: string): number {
  return textOf(file).split('\n').length - 1;
}

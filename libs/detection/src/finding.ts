import type { Match } from './event.ts';
import type { Settings } from './settings.ts';
import type { View } from './view.ts';

/** What a detector says of one match over one run state. */
export interface Finding {
  readonly action: 'warn' | 'block' | 'abort';
  readonly match: Match;
  /** Identity of the match. */
  readonly key: string;
  readonly detector: string;
  readonly count: number;
  readonly threshold: number;
  /** Under which a warning is remembered as handed out. */
  readonly warningKey: string;
  /** Signatures that must all be in the window for the key to be remembered. */
  readonly keySignatures: readonly Match[];
  readonly pairedTool: string | null;
  /** Name of the tool that does not exist; unknown tool only. */
  readonly missingTool: string | null;
  /** Index of the oldest record of the match in the window: the order of publication. */
  readonly oldest: number;
}

/** One detector: at most one finding per match, the more severe one. */
export interface Detector {
  readonly name: string;
  readonly find: (view: View, settings: Settings) => readonly Finding[];
}

/** The match of one signature. */
export function signatureMatch(of: { tool: string; args: string }): Match {
  return { scope: 'signature', tool: of.tool, args: of.args };
}

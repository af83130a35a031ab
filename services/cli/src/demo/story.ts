/** What a demo agent does in a turn. A refused call is made again: these agents do not think. */
export type Turn =
  | {
      readonly kind: 'call';
      readonly tool: string;
      readonly args: unknown;
      readonly result?: unknown;
      readonly error?: string;
    }
  | { readonly kind: 'compaction' };

/** What the agent has been told so far. */
interface Told {
  readonly warnings: number;
}

/** The ways to loop that the demo shows, and two ways not to. */
type StoryKind = 'repeat' | 'poll' | 'ping-pong' | 'missing tool' | 'compaction' | 'heeds' | 'honest';

export interface Story {
  readonly run: string;
  readonly agent: string;
  readonly kind: StoryKind;
  /** For people: what goes on. */
  readonly text: string;
  /** The turn of a number, from 0; null: the work is done. Without a guard, this is how long it goes on. */
  readonly turn: (index: number, told: Told) => Turn | null;
}

/** Whether somebody has to stop the story. */
export function isLoop({ kind }: Story): boolean {
  return kind !== 'honest' && kind !== 'heeds';
}

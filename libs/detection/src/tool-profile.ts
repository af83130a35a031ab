import { isPlainObject, type PlainObject } from './plain-object.ts';

/** Which calls of a tool are meant: all, none, or those whose argument `field` is exactly one of `values`. */
export type Calls = 'all' | 'none' | { readonly field: string; readonly values: ReadonlySet<string> };

/** What a tool brought back, taken apart: its `details`, and the text of its content parts. */
export interface ResultParts {
  readonly args: unknown;
  readonly details: PlainObject;
  readonly text: string;
}

/** How the calls and results of one tool become comparable. */
export interface ToolProfile {
  /** Calls that only look at something under way: repeating them is no loop while what they see changes. */
  readonly polls: Calls;
  /** Calls that send a message: their text and the ids that the channel gave say nothing about progress. */
  readonly sends: Calls;
  /** Fields of `details`, at every depth, that change without meaning anything. */
  readonly volatile: ReadonlySet<string>;
  /** Compare `details` alone. */
  readonly ignoreText: boolean;
  /** What to compare instead; undefined: the rules above apply. */
  readonly reduce: (parts: ResultParts) => PlainObject | undefined;
}

/** The profile of a tool that no table names. */
export const PLAIN_PROFILE: ToolProfile = {
  polls: 'none',
  sends: 'none',
  volatile: new Set(),
  ignoreText: false,
  reduce: () => undefined,
};

/** Whether a call with these arguments is among the calls meant. */
export function covers(calls: Calls, args: unknown): boolean {
  if (typeof calls === 'string') return calls === 'all';
  try {
    const value = isPlainObject(args) ? args[calls.field] : undefined;
    return typeof value === 'string' && calls.values.has(value);
  } catch {
    return false; // arguments that cannot be read name no action
  }
}

/** `order`: thresholds the wrong way round. `unknown_key`: keys that mean nothing there. `value`: a wrong value. */
type IssueKind = 'order' | 'unknown_key' | 'value';

/** A reason to refuse a policy. */
export interface Issue {
  /** Where, from the root, dots between keys; empty: the document itself. */
  readonly path: string;
  readonly kind: IssueKind;
  /** The unknown keys. */
  readonly keys?: readonly string[];
  /** What is wrong and what to do, in a sentence. */
  readonly message: string;
}

/** Something that is allowed but will hardly be meant. */
export interface Hint {
  readonly path: string;
  readonly message: string;
}

/** A wrong value, and what to write instead. */
export function wrongValue(path: string, expected: string): Issue {
  return { path, kind: 'value', message: `${path || 'The policy'} must be ${expected}.` };
}

/** The keys of an object that are not among those known; no issue: all are. */
export function unknownKeys(path: string, value: object, known: readonly string[]): Issue[] {
  const keys = Object.keys(value).filter((key) => !known.includes(key));
  if (keys.length === 0) return [];
  const message = `${path} has no ${keys.map((key) => `"${key}"`).join(', ')}; it knows ${known.join(', ')}.`;
  return [{ path, kind: 'unknown_key', keys, message }];
}

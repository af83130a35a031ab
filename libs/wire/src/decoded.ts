import type { RuleCode } from './rules.ts';

/** Why a value is refused: names a dead letter, so a code never changes its meaning. */
export type RefusalCode =
  | 'too_short'
  | 'too_large'
  | 'bad_magic'
  /** The id is not known here: look the schema up, `addSchema`, decode again. An id that no registry knows is a dead letter. */
  | 'unknown_schema'
  /** The writer's schema is no Avro schema, or cannot be read as ours. */
  | 'incompatible_schema'
  /** A record that does not belong into the topic and has no fields to go by. */
  | 'unknown_type'
  /** The bytes are not what the writer's schema says. */
  | 'malformed'
  | RuleCode;

export interface Refused {
  readonly ok: false;
  readonly code: RefusalCode;
  /** A sentence for people. */
  readonly detail: string;
}

export type Decoded<T> = { readonly ok: true; readonly value: T } | Refused;

export function refused(code: RefusalCode, detail: string): Refused {
  return { ok: false, code, detail };
}

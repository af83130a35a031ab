/** A failure that the user caused or can mend: a stable code and a sentence that says what to do. */
export interface UserError {
  readonly code: string;
  readonly message: string;
}

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: UserError };

export function succeed<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

export function refuse(code: string, message: string): { readonly ok: false; readonly error: UserError } {
  return { ok: false, error: { code, message } };
}

/** What a call brought back, as the SDK takes it. */
type Outcome = { readonly result: unknown } | { readonly error: string };

interface Output {
  readonly content?: unknown;
  readonly details?: unknown;
}

/**
 * The outcome behind a result of OpenClaw. A tool that threw arrives as a result whose `details` are `status`
 * "error", the tool and the text: that is an error again, as OpenClaw's own detection sees it.
 */
export function outcomeOf(result: unknown): Outcome {
  const { status, tool, error } = detailsOf(result);
  if (status === 'error' && typeof tool === 'string' && typeof error === 'string') return { error };
  return { result: result ?? null };
}

/** The outcome of a call that never came to its tool: the whole text, for `error` may be its first line only. */
export function failureOf(result: unknown, error: string | undefined): Outcome {
  if (error === undefined) return outcomeOf(result);
  return { error: textOf(result) || error };
}

/** OpenClaw's own loop detection refused the call. */
export function isOwnVeto(result: unknown): boolean {
  const { status, deniedReason } = detailsOf(result);
  return status === 'blocked' && deniedReason === 'tool-loop';
}

/** A result with one more text at its end; undefined: it is none that takes a text. */
export function withText(result: unknown, text: string): object | undefined {
  const { content } = outputOf(result);
  if (!Array.isArray(content)) return undefined;
  return { ...outputOf(result), content: [...content, { type: 'text', text }] };
}

function textOf(result: unknown): string {
  const { content } = outputOf(result);
  if (!Array.isArray(content)) return '';
  return content.map((part: { readonly text?: unknown } | null) => String(part?.text ?? '')).join('\n');
}

function detailsOf(result: unknown): Readonly<Record<string, unknown>> {
  const { details } = outputOf(result);
  return typeof details === 'object' && details !== null ? (details as Record<string, unknown>) : {};
}

function outputOf(result: unknown): Output {
  return typeof result === 'object' && result !== null ? result : {};
}

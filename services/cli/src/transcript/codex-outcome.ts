import { at, isObject, parseJson, stringAt } from '../json-value.ts';
import { toolOutput } from './content.ts';

/** Head lines of an execution's text that change from one run of a command to the next. */
const VOLATILE_HEAD = /^(?:Wall time|Chunk ID|Process running with session ID)\b/;
const HEAD_END = /^Output:/;
const UNSUPPORTED = /^unsupported (?:custom tool )?call: ([\w.-]+)/;

/** The outcome in the `output` of a Codex call, without what differs between two equal executions. */
export function codexOutcome(output: unknown): { readonly result?: unknown; readonly error?: unknown } {
  if (typeof output !== 'string') return { result: structured(output) };
  const missing = UNSUPPORTED.exec(output)?.[1];
  if (missing !== undefined) return { error: `unknown tool: ${missing}` };
  const parsed = output.startsWith('{') ? parseJson(output) : undefined;
  if (stringAt(parsed, 'output') !== null) return { result: structured(parsed) };
  return { result: toolOutput(withoutVolatileHead(output)) };
}

/** `{output, metadata}` of an execution, `{content, success}` of older versions, or content blocks. */
function structured(output: unknown): unknown {
  if (!isObject(output)) return toolOutput(output);
  const exitCode = at(output.metadata, 'exit_code');
  return toolOutput(output.output ?? output.content, {
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    ...(output.success === undefined ? {} : { success: output.success }),
  });
}

function withoutVolatileHead(text: string): string {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => HEAD_END.test(line));
  return lines.filter((line, index) => index > end || !VOLATILE_HEAD.test(line)).join('\n');
}

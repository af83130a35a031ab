import type { JsonObject } from '../json-value.ts';
import type { Output } from '../terminal/output.ts';
import { type Outcome, refuse, succeed } from '../user-error.ts';
import { readPolicyFile } from './policy-file.ts';

/** A policy file that recorded events are judged by; hints go to the error output. */
export async function readPolicyToTry(path: string, { err }: Output): Promise<Outcome<JsonObject>> {
  const read = await readPolicyFile(path);
  if (!read.ok) return read;
  const { document, issues, hints } = read.value;
  if (issues.length === 0) {
    for (const { message } of hints) err(`note: ${message}`);
    return succeed(document);
  }
  const sentences = issues.map(({ message }) => `\n  ${message}`).join('');
  return refuse('policy_refused', `The policy "${path}" is refused:${sentences}`);
}

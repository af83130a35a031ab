import { isObject, type JsonObject } from '../json-value.ts';

/** A tool result as detection reads it: texts, and everything else that tells two results apart. */
interface ToolOutput {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly details: JsonObject;
}

/** Maps a result's content (text or blocks). Blocks without text, such as images, count as details. */
export function toolOutput(content: unknown, details: JsonObject = {}): ToolOutput {
  if (typeof content === 'string') return { content: [{ type: 'text', text: content }], details };
  if (!Array.isArray(content)) return { content: [], details };
  const texts = content.flatMap((block) => textOf(block) ?? []);
  const others = content.filter((block) => textOf(block) === null);
  return {
    content: texts.map((text) => ({ type: 'text', text })),
    details: others.length === 0 ? details : { ...details, blocks: others },
  };
}

/** The texts of a content joined, for what is told as an error or a prompt. */
export function plainText(content: unknown): string {
  return toolOutput(content)
    .content.map(({ text }) => text)
    .join('\n');
}

function textOf(block: unknown): string | null {
  return isObject(block) && typeof block.text === 'string' ? block.text : null;
}

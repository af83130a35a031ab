/** Errors are searched this far, in characters; names are cut at 256. */
const SEARCHED = 65_536;

const UNKNOWN_TOOL = /unknown tool[:\s]+['"]?([a-z0-9_.-]{1,256})/i;
const TOOL_NOT_FOUND = /tool\s+['"]?([a-z0-9_.-]{1,256})['"]?\s+(?:not found|is not available)/i;

/**
 * The tool that an error says does not exist, in lower case, or null. The two wordings are those that
 * OpenClaw 2026.7 recognises: `unknown tool: x`, `tool x not found`, `tool x is not available`.
 */
export function missingTool(errorText: string): string | null {
  const text = errorText.slice(0, SEARCHED);
  const found = UNKNOWN_TOOL.exec(text) ?? TOOL_NOT_FOUND.exec(text);
  return found?.[1]?.toLowerCase() ?? null;
}

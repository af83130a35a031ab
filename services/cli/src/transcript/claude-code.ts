import { at, isObject, type JsonObject, objectsAt, stringAt } from '../json-value.ts';
import { plainText, toolOutput } from './content.ts';
import type { Origin, TranscriptFormat, TranscriptReader } from './format.ts';
import type { PublicEvent } from './public-event.ts';
import { type Returned, Turns } from './turns.ts';

/** Sessions of Claude Code. Side chains are runs of their own, in the session's file or in one of theirs. */
export const claudeCode: TranscriptFormat = {
  id: 'claude-code',
  name: 'Claude Code sessions',
  recognises: (line) =>
    (line.type === 'user' || line.type === 'assistant') &&
    isObject(line.message) &&
    typeof line.sessionId === 'string',
  open: (origin) => new ClaudeCodeReader(origin),
};

/** What the host writes in the user's name: no prompts. */
const NO_PROMPT = /^<(?:local-command|bash-|command-name>\/compact|system-reminder>)/;
const INTERRUPTED = '[Request interrupted by user';
const NO_SUCH_TOOL = /No such tool available: ([\w.-]+)/;

/** Lines whose side chain is remembered, for side chains that do not name their agent. */
const REMEMBERED_LINES = 10_000;

class ClaudeCodeReader implements TranscriptReader {
  readonly #origin: Origin;
  readonly #chains = new Map<string, Turns>();
  /** Root of the side chain that a line belongs to. */
  readonly #roots = new Map<string, string>();
  /** The chain whose compaction was told by a boundary, so that its summary tells nothing new. */
  #bounded: Turns | null = null;

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  read(line: JsonObject): readonly PublicEvent[] | null {
    switch (line.type) {
      case 'user':
        return this.#user(line, this.#turnsOf(line));
      case 'assistant':
        return this.#assistant(line, this.#turnsOf(line));
      case 'system':
        return line.subtype === 'compact_boundary' ? this.#boundary(line, this.#turnsOf(line)) : null;
      default:
        return null;
    }
  }

  end(): readonly PublicEvent[] {
    return [...this.#chains.values()].flatMap((turns) => turns.end());
  }

  #boundary(line: JsonObject, turns: Turns): readonly PublicEvent[] {
    this.#bounded = turns;
    return turns.compaction(stringAt(line.compactMetadata, 'trigger') === 'manual');
  }

  #user(line: JsonObject, turns: Turns): readonly PublicEvent[] {
    if (line.isCompactSummary === true) {
      const told = this.#bounded === turns;
      this.#bounded = null;
      return told ? [] : turns.compaction(false);
    }
    const results = objectsAt(line.message, 'content').filter((block) => block.type === 'tool_result');
    if (results.length > 0) return results.flatMap((block) => turns.returned(returned(block)));
    const text = plainText(at(line.message, 'content'));
    if (text.startsWith(INTERRUPTED)) return turns.end('aborted');
    return line.isMeta === true || NO_PROMPT.test(text) ? [] : turns.prompt(text);
  }

  #assistant(line: JsonObject, turns: Turns): readonly PublicEvent[] {
    const blocks = objectsAt(line.message, 'content');
    const calls = blocks.filter((block) => block.type === 'tool_use');
    if (calls.length === 0 && blocks.some((block) => block.type === 'text')) return turns.answer();
    return calls.flatMap((block) =>
      turns.call({
        callId: stringAt(block, 'id'),
        tool: stringAt(block, 'name') ?? '',
        args: block.input,
      }),
    );
  }

  #turnsOf(line: JsonObject): Turns {
    const session = stringAt(line, 'sessionId') ?? 'session';
    const sideChain = line.isSidechain === true ? this.#sideChain(line) : null;
    const conversation = sideChain === null ? session : `${session}/${sideChain}`;
    let turns = this.#chains.get(conversation);
    if (turns === undefined) {
      const name = this.#origin.claim(conversation);
      turns = new Turns({ name, sessionId: session, agentId: sideChain });
      this.#chains.set(conversation, turns);
    }
    turns.time(line.timestamp);
    return turns;
  }

  /** The agent that a side chain names; older versions name none, there its first line identifies it. */
  #sideChain(line: JsonObject): string {
    const named = stringAt(line, 'agentId');
    if (named !== null) return named;
    const own = stringAt(line, 'uuid') ?? '';
    const root = this.#roots.get(stringAt(line, 'parentUuid') ?? '') ?? own;
    this.#roots.set(own, root);
    const oldest = this.#roots.keys().next().value;
    if (this.#roots.size > REMEMBERED_LINES && oldest !== undefined) this.#roots.delete(oldest);
    return root;
  }
}

function returned(block: JsonObject): Returned {
  const callId = stringAt(block, 'tool_use_id');
  if (block.is_error !== true) return { callId, outcome: { result: toolOutput(block.content) } };
  const text = plainText(block.content);
  const missing = NO_SUCH_TOOL.exec(text)?.[1];
  return { callId, outcome: { error: missing === undefined ? text : `unknown tool: ${missing}` } };
}

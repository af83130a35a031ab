import { at, type JsonObject, parseJson, stringAt } from '../json-value.ts';
import { codexOutcome } from './codex-outcome.ts';
import { plainText } from './content.ts';
import type { Origin, TranscriptFormat, TranscriptReader } from './format.ts';
import type { PublicEvent } from './public-event.ts';
import { Turns } from './turns.ts';

/** Rollouts of Codex: lines with a `type` and a `payload`. */
export const codex: TranscriptFormat = {
  id: 'codex',
  name: 'Codex rollouts',
  recognises: ({ type, payload }) =>
    (type === 'session_meta' && stringAt(payload, 'id') !== null) ||
    ((type === 'response_item' || type === 'event_msg') && stringAt(payload, 'type') !== null),
  open: (origin) => new CodexReader(origin),
};

/** What the host writes in the user's name: instructions and context, no prompts. */
const NO_PROMPT = /^\s*(?:<|# AGENTS\.md)/;

class CodexReader implements TranscriptReader {
  readonly #origin: Origin;
  #turns: Turns | null = null;

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  read(line: JsonObject): readonly PublicEvent[] | null {
    const { payload } = line;
    if (line.type === 'session_meta') return this.#begin(payload);
    const turns = this.#timed(line);
    if (line.type === 'compacted') return turns.compaction(false);
    if (line.type === 'event_msg') return notice(payload, turns);
    return line.type === 'response_item' ? item(payload, turns) : null;
  }

  end(): readonly PublicEvent[] {
    return this.#turns?.end() ?? [];
  }

  /** The first line is the rollout's own; a fork repeats those of the session it came from. */
  #begin(meta: unknown): readonly PublicEvent[] {
    const spawned = at(at(at(meta, 'source'), 'subagent'), 'thread_spawn');
    const agentId = stringAt(meta, 'agent_role') ?? stringAt(spawned, 'agent_role');
    this.#turns ??= this.#open(stringAt(meta, 'id') ?? this.#origin.path, agentId);
    return [];
  }

  #open(session: string, agentId: string | null): Turns {
    return new Turns({ name: this.#origin.claim(session), sessionId: session, agentId });
  }

  #timed(line: JsonObject): Turns {
    this.#turns ??= this.#open(this.#origin.path.split(/[\\/]/).at(-1) ?? 'rollout', null);
    this.#turns.time(line.timestamp);
    return this.#turns;
  }
}

function notice(payload: unknown, turns: Turns): readonly PublicEvent[] | null {
  switch (stringAt(payload, 'type')) {
    case 'user_message':
      return turns.prompt(stringAt(payload, 'message') ?? '');
    case 'turn_aborted':
      return turns.end('aborted');
    default:
      return null;
  }
}

function item(payload: unknown, turns: Turns): readonly PublicEvent[] | null {
  const callId = stringAt(payload, 'call_id');
  switch (stringAt(payload, 'type')) {
    case 'message':
      return message(payload, turns);
    case 'function_call':
      return turns.call({ callId, tool: toolName(payload), args: argumentsOf(payload) });
    case 'custom_tool_call':
      return turns.call({ callId, tool: toolName(payload), args: at(payload, 'input') });
    case 'local_shell_call':
      return turns.call({ callId, tool: 'local_shell', args: at(payload, 'action') });
    case 'web_search_call':
      return turns.call({ callId, tool: 'web_search', args: at(payload, 'action') });
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'local_shell_call_output':
      return turns.returned({ callId, outcome: codexOutcome(at(payload, 'output')) });
    default:
      return null;
  }
}

function message(payload: unknown, turns: Turns): readonly PublicEvent[] {
  const text = plainText(at(payload, 'content'));
  if (at(payload, 'role') === 'assistant') return turns.answer();
  return at(payload, 'role') === 'user' && !NO_PROMPT.test(text) ? turns.prompt(text) : [];
}

function toolName(payload: unknown): string {
  return stringAt(payload, 'name') ?? '';
}

/** Arguments are JSON in a string; what does not parse is compared as it stands. */
function argumentsOf(payload: unknown): unknown {
  const text = at(payload, 'arguments');
  const parsed = typeof text === 'string' ? parseJson(text) : text;
  return parsed === undefined ? text : parsed;
}

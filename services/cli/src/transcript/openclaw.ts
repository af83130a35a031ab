import { at, isObject, type JsonObject, objectsAt, stringAt } from '../json-value.ts';
import { plainText } from './content.ts';
import type { Origin, TranscriptFormat, TranscriptReader } from './format.ts';
import type { PublicEvent } from './public-event.ts';
import { Turns } from './turns.ts';

const ROLES = new Set(['user', 'assistant', 'toolResult']);

/** Sessions of OpenClaw: a `session` line, then `message`, `compaction` and lines of other types. */
export const openclaw: TranscriptFormat = {
  id: 'openclaw',
  name: 'OpenClaw sessions',
  recognises: (line) =>
    (line.type === 'session' && typeof line.id === 'string') ||
    (line.type === 'message' && ROLES.has(String(at(line.message, 'role')))),
  open: (origin) => new OpenClawReader(origin),
};

/** What one assistant message asked for. Held until all is answered, since a refusal unmakes its call. */
interface Asked {
  readonly calls: JsonObject[];
  readonly results: JsonObject[];
}

class OpenClawReader implements TranscriptReader {
  readonly #origin: Origin;
  #turns: Turns | null = null;
  #asked: Asked = { calls: [], results: [] };
  #askedAt: unknown = null;

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  read(line: JsonObject): readonly PublicEvent[] | null {
    if (line.type === 'session') return this.#begin(stringAt(line, 'id') ?? 'session');
    if (line.type === 'compaction') {
      return [...this.#settle(), ...this.#timed(line).compaction(false)];
    }
    const role = line.type === 'message' ? at(line.message, 'role') : null;
    if (role === 'user') return this.#prompt(line);
    if (role === 'assistant') return this.#assistant(line);
    return role === 'toolResult' ? this.#result(line) : null;
  }

  end(): readonly PublicEvent[] {
    return [...this.#settle(), ...(this.#turns?.end() ?? [])];
  }

  #begin(session: string): readonly PublicEvent[] {
    const ended = this.end();
    this.#turns = this.#open(session);
    return ended;
  }

  #open(session: string): Turns {
    const agentId = /[\\/]agents[\\/]([^\\/]+)[\\/]sessions[\\/]/.exec(this.#origin.path)?.[1] ?? null;
    return new Turns({ name: this.#origin.claim(session), sessionId: session, agentId });
  }

  /** The conversation at the time of a line. A transcript that lost its first line is named after its file. */
  #timed(line: JsonObject): Turns {
    this.#turns ??= this.#open(sessionOfPath(this.#origin.path));
    this.#turns.time(line.timestamp);
    return this.#turns;
  }

  #prompt(line: JsonObject): readonly PublicEvent[] {
    return [...this.#settle(), ...this.#timed(line).prompt(plainText(at(line.message, 'content')))];
  }

  #assistant(line: JsonObject): readonly PublicEvent[] {
    const before = this.#settle();
    const turns = this.#timed(line);
    const calls = objectsAt(line.message, 'content').filter((block) => block.type === 'toolCall');
    this.#asked = { calls, results: [] };
    this.#askedAt = line.timestamp;
    const reason = at(line.message, 'stopReason');
    if (reason === 'aborted') return [...before, ...this.#settle(), ...turns.end('aborted')];
    const answered = calls.length === 0 && reason !== 'error';
    return answered ? [...before, ...turns.answer()] : before;
  }

  #result(line: JsonObject): readonly PublicEvent[] {
    this.#asked.results.push(line);
    return this.#asked.results.length >= this.#asked.calls.length ? this.#settle() : [];
  }

  /** Gives out the held message: first its calls that were not refused, then what came back. */
  #settle(): readonly PublicEvent[] {
    const { calls, results } = this.#asked;
    this.#asked = { calls: [], results: [] };
    if (calls.length + results.length === 0) return [];
    const refused = new Set(
      results.filter(isVeto).map(({ message }) => stringAt(message, 'toolCallId') ?? ''),
    );
    const turns = this.#timed({ timestamp: this.#askedAt });
    const made = calls.map((block) => ({
      callId: stringAt(block, 'id'),
      tool: stringAt(block, 'name') ?? '',
      args: block.arguments,
    }));
    const asked = made.flatMap((call) =>
      call.callId !== null && refused.has(call.callId) ? turns.refused(call) : turns.call(call),
    );
    return [...asked, ...results.flatMap((line) => this.#returned(line))];
  }

  #returned(line: JsonObject): readonly PublicEvent[] {
    const { message } = line;
    return this.#timed(line).returned({
      callId: stringAt(message, 'toolCallId'),
      tool: stringAt(message, 'toolName') ?? '',
      outcome: outcomeOf(message),
    });
  }
}

/** A tool that threw is stored as details with the error's text; any other result keeps its details. */
function outcomeOf(message: unknown): { readonly result?: unknown; readonly error?: unknown } {
  const details = at(message, 'details');
  if (at(message, 'isError') === true) {
    if (!isObject(details)) return { error: plainText(at(message, 'content')) };
    if (details.status === 'error' && typeof details.error === 'string') return { error: details.error };
  }
  return { result: { content: at(message, 'content'), ...(isObject(details) ? { details } : {}) } };
}

function isVeto({ message }: JsonObject): boolean {
  const details = at(message, 'details');
  return at(details, 'status') === 'blocked' && at(details, 'deniedReason') === 'tool-loop';
}

function sessionOfPath(path: string): string {
  return (
    path
      .split(/[\\/]/)
      .at(-1)
      ?.replace(/\.jsonl$/, '') ?? path
  );
}

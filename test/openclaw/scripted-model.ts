import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call that the scripted model asks for. */
export interface ScriptedCall {
  readonly tool: string;
  readonly args: unknown;
}

/** One answer of the model. */
export type Step =
  /** Several calls are parallel ones of one message. */
  | { readonly calls: readonly ScriptedCall[]; readonly usage?: number }
  | { readonly text: string }
  /** The context does not fit: the host has to compact it. */
  | { readonly overflow: true };

/** What the model was shown. */
interface Asked {
  /** Texts of the tool results that it had not been shown before, in order. */
  readonly results: readonly string[];
  readonly summary: boolean;
}

export interface ScriptedModel {
  /** Ends with /v1. */
  readonly url: string;
  /** Every request, in order. */
  readonly asked: readonly Asked[];
  close(): Promise<void>;
}

interface Message {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_call_id?: string;
}

interface ChatRequest {
  readonly messages?: readonly Message[];
  readonly tools?: readonly unknown[];
  readonly model?: string;
}

/** Answers a step from its index, perhaps late; a model that has no step left says that it is done. */
export type Script = (index: number) => Step | undefined | Promise<Step | undefined>;

const OVERFLOW = {
  error: {
    message:
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
  },
};

/** What a turn of the tests asks for. */
export const PROMPT = 'do it';

/**
 * A chat-completions server that answers by a script, on the loopback address. Summaries that a compaction asks for (they
 * have no tools) and turns that OpenClaw begins on its own (to resume what a restart interrupted) take no step.
 */
export async function startScriptedModel(script: Script): Promise<ScriptedModel> {
  const asked: Asked[] = [];
  const shown = new Set<string>();
  let taken = 0;
  let named = 0;
  const answer = async (request: ChatRequest, response: ServerResponse): Promise<void> => {
    const summary = (request.tools ?? []).length === 0;
    asked.push({ results: newResults(request.messages ?? [], shown), summary });
    const isOurs = !summary && latestPrompt(request.messages ?? []).includes(PROMPT);
    const step = (isOurs ? await script(taken++) : undefined) ?? { text: 'All done.' };
    if ('overflow' in step) {
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(OVERFLOW));
      return;
    }
    stream(response, { step, model: request.model ?? 'scripted', nameCall: () => `call_${++named}` });
  };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => void answer(JSON.parse(body || '{}') as ChatRequest, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Providers differ in which characters of an id they keep. */
const plain = (id = ''): string => id.replace(/[^a-z0-9]/gi, '');

function newResults(messages: readonly Message[], shown: Set<string>): string[] {
  const fresh = messages.filter(
    ({ role, tool_call_id }) => role === 'tool' && !shown.has(plain(tool_call_id)),
  );
  for (const { tool_call_id } of fresh) shown.add(plain(tool_call_id));
  return fresh.map(({ content }) => textOf(content));
}

function latestPrompt(messages: readonly Message[]): string {
  return textOf(messages.findLast(({ role }) => role === 'user')?.content);
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content ?? '');
  return content.map((part: { text?: string }) => part.text ?? '').join('');
}

interface Streaming {
  readonly step: Exclude<Step, { overflow: true }>;
  readonly model: string;
  nameCall(): string;
}

function stream(response: ServerResponse, { step, model, nameCall }: Streaming): void {
  const calls = 'calls' in step ? step.calls : [];
  const tool_calls = calls.map(({ tool, args }, index) => ({
    index,
    id: nameCall(),
    type: 'function',
    function: { name: tool, arguments: JSON.stringify(args) },
  }));
  const said = 'text' in step ? { content: step.text } : { tool_calls };
  const prompt_tokens = ('usage' in step && step.usage) || 100;
  const send = (part: object): void => {
    response.write(
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model, ...part })}\n\n`,
    );
  };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  send({ choices: [{ index: 0, delta: { role: 'assistant', ...said }, finish_reason: null }] });
  send({ choices: [{ index: 0, delta: {}, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }] });
  send({ choices: [], usage: { prompt_tokens, completion_tokens: 10, total_tokens: prompt_tokens + 10 } });
  response.end('data: [DONE]\n\n');
}

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
export interface Asked {
  /** Texts of the tool results since its own last message, in order. */
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
}

interface ChatRequest {
  readonly messages?: readonly Message[];
  readonly tools?: readonly unknown[];
  readonly model?: string;
}

/** Answers a step from its index; a model that has no step left says that it is done. */
export type Script = (index: number) => Step | undefined;

const OVERFLOW = {
  error: {
    message:
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
  },
};

/**
 * A chat-completions server that answers by a script, on the loopback address. Requests without tools are
 * summaries that a compaction asks for: they take no step.
 */
export async function startScriptedModel(script: Script): Promise<ScriptedModel> {
  const asked: Asked[] = [];
  let taken = 0;
  let named = 0;
  const answer = (request: ChatRequest, response: ServerResponse): void => {
    const summary = (request.tools ?? []).length === 0;
    asked.push({ results: latestResults(request.messages ?? []), summary });
    const step = summary
      ? { text: 'Summary of the work so far.' }
      : (script(taken++) ?? { text: 'All done.' });
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
    request.on('end', () => answer(JSON.parse(body || '{}') as ChatRequest, response));
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

function latestResults(messages: readonly Message[]): string[] {
  const since = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages
    .slice(since + 1)
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => textOf(content));
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

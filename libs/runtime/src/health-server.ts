import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Checks, checkHealth, type Health } from './health.ts';
import { mayRead } from './http-access.ts';
import { isLoopback } from './loopback.ts';

export interface HealthServerOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Required beyond loopback. */
  readonly token: string | null;
  /** Not live: to be restarted. */
  readonly live: Checks;
  /** Not ready: give it no work, and wait. */
  readonly ready: Checks;
  /** Null: /metrics does not exist. */
  readonly metrics: { readonly contentType: string; text(): Promise<string> } | null;
}

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

type HealthServerErrorCode =
  /** The host lies beyond loopback and no token is set. */
  | 'token_required'
  /** The address is taken, not of this machine or not allowed. */
  | 'cannot_listen';

export class HealthServerError extends Error {
  readonly code: HealthServerErrorCode;

  constructor(code: HealthServerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'HealthServerError';
    this.code = code;
  }
}

const LIMITS = {
  /** Whole request, headers and idle sockets, milliseconds. */
  patienceMs: 5000,
  headerBytes: 8192,
  connections: 64,
} as const;

/**
 * Serves /livez, /readyz and /metrics. Probes learn yes or no without a token, for what probes a container
 * holds none; details and metrics need it. Rejects with a `HealthServerError`.
 */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const { host, token } = options;
  if (token === null && !isLoopback(host)) {
    throw new HealthServerError(
      'token_required',
      `Listening on ${host} needs a token: set http.token, or listen on 127.0.0.1.`,
    );
  }
  const server = createServer(
    {
      requestTimeout: LIMITS.patienceMs,
      headersTimeout: LIMITS.patienceMs,
      connectionsCheckingInterval: 1000,
      maxHeaderSize: LIMITS.headerBytes,
    },
    (request, response) => {
      const answered = answer(options, request).catch((error: unknown) => text(500, String(error)));
      void answered.then(({ status, type, body }) => {
        response.writeHead(status, {
          'content-type': type,
          'cache-control': 'no-store',
          ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
          // What was not asked for is not read: the connection goes with it.
          ...(status >= 400 && status < 500 ? { connection: 'close' } : {}),
        });
        response.end(request.method === 'HEAD' ? undefined : body);
      });
    },
  );
  server.maxConnections = LIMITS.connections;
  server.setTimeout(LIMITS.patienceMs);
  await listen(server, options);
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const text = (status: number, body: string): Answer => ({ status, type: 'text/plain', body: `${body}\n` });

async function answer(options: HealthServerOptions, request: IncomingMessage): Promise<Answer> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return text(405, 'Only GET and HEAD.');
  if (hasBody(request)) return text(413, 'No request bodies.');
  const allowed = mayRead(options.token, request.headers.authorization);
  switch (request.url?.split('?', 1)[0]) {
    case '/livez':
      return healthAnswer(checkHealth(options.live), allowed);
    case '/readyz':
      return healthAnswer(checkHealth(options.ready), allowed);
    case '/metrics':
      if (options.metrics === null) return text(404, 'Metrics are off: metrics.enabled is false.');
      if (!allowed) return text(401, 'Send the token as Authorization: Bearer.');
      return { status: 200, type: options.metrics.contentType, body: await options.metrics.text() };
    default:
      return text(404, 'There are /livez, /readyz and /metrics.');
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function healthAnswer(health: Health, detailed: boolean): Answer {
  const body = JSON.stringify(detailed ? health : { ok: health.ok });
  return { status: health.ok ? 200 : 503, type: 'application/json', body: `${body}\n` };
}

function listen(server: Server, { host, port }: HealthServerOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', (error: NodeJS.ErrnoException) => {
    const message = `Cannot listen on ${host}:${port} (${error.code}): choose another http.host or http.port (0 picks a free one).`;
    reject(new HealthServerError('cannot_listen', message, { cause: error }));
  });
  server.listen({ host: host.replace(/^\[(.*)\]$/, '$1'), port }, resolve);
  return promise;
}

/** Answers take no time worth waiting for, so open connections are cut. */
function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  return promise;
}

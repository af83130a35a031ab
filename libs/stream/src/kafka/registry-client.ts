import { LogError } from '../log.ts';

/** How to reach a schema registry with Confluent's API. */
export interface RegistryOptions {
  /** With its path, if it has one. */
  readonly url: string;
  readonly auth?: { readonly username: string; readonly password: string };
  /** How long one request may take, in milliseconds; 3 s unless told otherwise. */
  readonly timeoutMs?: number;
  /** How long an id that the registry did not know is not asked for again, in milliseconds; 30 s unless told otherwise. */
  readonly missForMs?: number;
}

/** One call of Confluent's API; a body makes it a POST, or the method that is named. */
interface RegistryCall {
  readonly path: string;
  readonly method?: 'PUT';
  readonly body?: object;
}

/** Asks the registry; null: it does not have what was asked for. Rejects with a `LogError` otherwise. */
export type AskRegistry = (call: RegistryCall) => Promise<Readonly<Record<string, unknown>> | null>;

const TIMEOUT_MS = 3_000;
const MEDIA_TYPE = 'application/vnd.schemaregistry.v1+json';
/** Wrong credentials, and what Confluent's API says of schemas that it does not take. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 409, 422]);
const NOT_FOUND = 404;

/**
 * A client that tells three things apart which the usual ones mix up: the registry answers, it says no, and it was
 * not reached. A 404 counts as the registry's own only with an error code of its API: anything else at a wrong
 * address says 404, too, and would turn good records into dead letters.
 */
export function registryClient(options: RegistryOptions): AskRegistry {
  const { auth, timeoutMs = TIMEOUT_MS } = options;
  const base = options.url.replace(/\/$/, '');
  const credentials = auth === undefined ? null : Buffer.from(`${auth.username}:${auth.password}`);
  const headers = {
    accept: `${MEDIA_TYPE}, application/json`,
    'content-type': MEDIA_TYPE,
    ...(credentials === null ? {} : { authorization: `Basic ${credentials.toString('base64')}` }),
  };
  return async ({ path, body, method = body === undefined ? 'GET' : 'POST' }) => {
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const sent = body === undefined ? null : JSON.stringify(body);
      const response = await fetch(`${base}${path}`, { method, headers, body: sent, signal });
      return read(response.status, await response.text());
    } catch (error) {
      throw error instanceof LogError ? error : unreachable(base, error);
    }
  };
}

/** The answer in a response; null: the registry does not have it. Throws what is no answer. */
function read(status: number, text: string): Readonly<Record<string, unknown>> | null {
  const answer = parsed(text);
  if (status >= 200 && status < 300 && answer !== null) return answer;
  const owned = answer !== null && 'error_code' in answer;
  if (status === NOT_FOUND && owned) return null;
  const said = String(answer?.message ?? text).slice(0, 300);
  if (owned && REFUSALS.has(status)) {
    throw new LogError('refused', `The schema registry refuses: ${said.replace(/\.$/, '')}.`);
  }
  throw new Error(`status ${status} (${said})`);
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

function unreachable(url: string, error: unknown): LogError {
  // The platform's own words are "fetch failed"; what happened stands in the cause.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const advice = 'Check that it runs and that its address has the whole path.';
  return new LogError(
    'unavailable',
    `The schema registry at ${url} cannot be reached: ${reason}. ${advice}`,
    {
      cause: error,
    },
  );
}

import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type HealthServer,
  HealthServerError,
  type HealthServerOptions,
  startHealthServer,
} from './health-server.ts';

const TOKEN = 'a-token-for-this-spec';
const open: HealthServer[] = [];

async function serve(options: Partial<HealthServerOptions> = {}) {
  const server = await startHealthServer({
    host: '127.0.0.1',
    port: 0,
    token: null,
    live: {},
    ready: {},
    metrics: { contentType: 'text/plain; version=0.0.4', text: async () => 'loopwarden_marks_total 1\n' },
    ...options,
  });
  open.push(server);
  return (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${server.port}${path}`, init);
}

afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe('health', () => {
  it('says with status and detail whether the process is ready', async () => {
    let ok = false;
    const get = await serve({ ready: { log: () => ({ ok, detail: 'Waits for the registry.' }) } });
    const waiting = await get('/readyz');
    expect([waiting.status, await waiting.json()]).toEqual([
      503,
      { ok: false, checks: [{ name: 'log', ok: false, detail: 'Waits for the registry.' }] },
    ]);
    ok = true;
    expect((await get('/readyz')).status).toBe(200);
    expect((await get('/livez')).status).toBe(200);
  });

  it('a stuck process is not live', async () => {
    const get = await serve({
      live: { progress: () => ({ ok: false, detail: 'Partition 1 stands still.' }) },
    });
    expect((await get('/livez')).status).toBe(503);
  });
});

describe('metrics', () => {
  it('are served as the registry renders them', async () => {
    const answer = await (await serve())('/metrics');
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4');
    expect(await answer.text()).toBe('loopwarden_marks_total 1\n');
  });

  it('are gone when off, and a failure to render them takes nothing down', async () => {
    expect((await (await serve({ metrics: null }))('/metrics')).status).toBe(404);
    const get = await serve({
      metrics: { contentType: 'text/plain', text: () => Promise.reject(new Error('boom')) },
    });
    expect((await get('/metrics')).status).toBe(500);
    expect((await get('/livez')).status).toBe(200);
  });
});

describe('with a token', () => {
  it('metrics need it', async () => {
    const get = await serve({ token: TOKEN });
    const refused = await get('/metrics');
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect((await get('/metrics', bearer('another'))).status).toBe(401);
    expect((await get('/metrics', bearer(TOKEN))).status).toBe(200);
  });

  it('probes learn yes or no without it, and details with it', async () => {
    const get = await serve({ token: TOKEN, ready: { log: () => ({ ok: false, detail: 'kafka:9092' }) } });
    const bare = await get('/readyz');
    expect([bare.status, await bare.text()]).toEqual([503, '{"ok":false}\n']);
    expect(await (await get('/readyz', bearer(TOKEN))).text()).toContain('kafka:9092');
  });
});

describe('refusals', () => {
  it.each(['0.0.0.0', '::'])('does not listen on %s without a token', async (host) => {
    await expect(serve({ host })).rejects.toMatchObject({ code: 'token_required' });
    await expect(serve({ host: '0.0.0.0', token: TOKEN })).resolves.toBeTypeOf('function');
  });

  it('a taken port is an expected failure that says what to do', async () => {
    await serve();
    const port = open[0]?.port ?? 0;
    const error: unknown = await serve({ port }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(HealthServerError);
    expect(error).toMatchObject({ code: 'cannot_listen', message: expect.stringContaining('http.port') });
  });

  it('other paths, other methods and request bodies', async () => {
    const get = await serve();
    expect((await get('/')).status).toBe(404);
    expect((await get('/metrics?x=1')).status).toBe(200);
    expect((await get('/livez', { method: 'DELETE' })).status).toBe(405);
    expect((await get('/livez', { method: 'POST', body: 'x'.repeat(1e5) })).status).toBe(405);
    const head = await get('/livez', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('a GET with a body', async () => {
    await serve();
    const answer = await sendRaw('GET /livez HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhello');
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer.toLowerCase()).toContain('connection: close');
  });

  it('headers beyond 8 KiB', async () => {
    await serve();
    expect(await sendRaw(`GET /livez HTTP/1.1\r\nx: ${'x'.repeat(9000)}\r\n\r\n`)).toMatch(/^HTTP\/1.1 431 /);
  });
});

it('closes at once, also with a connection held open', async () => {
  const server = await startHealthServer({
    host: '127.0.0.1',
    port: 0,
    token: null,
    live: {},
    ready: {},
    metrics: null,
  });
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => {});
  const ended = new Promise((resolve) => socket.on('close', resolve));
  await new Promise((resolve) => socket.on('connect', resolve));
  socket.write('GET /livez HTTP/1.1\r\n');
  await server.close();
  await ended;
});

/** Sends bytes to the server opened last and reads until it hangs up. */
function sendRaw(bytes: string): Promise<string> {
  const socket = connect(open.at(-1)?.port ?? 0, '127.0.0.1');
  socket.write(bytes);
  return new Promise((resolve, reject) => {
    let answer = '';
    socket.on('data', (data) => {
      answer += String(data);
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

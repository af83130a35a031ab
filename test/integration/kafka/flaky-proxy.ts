import { connect, createServer, type Socket } from 'node:net';

/** Stands between a client and a server, and can be slow or away. */
interface FlakyProxy {
  readonly port: number;
  /** What comes from the client waits so long, in milliseconds. */
  delay(ms: number): void;
  /** Refuses connections until `back`. */
  away(): Promise<void>;
  back(): Promise<void>;
  close(): Promise<void>;
}

/** A proxy of one port of the loopback address. */
export async function flakyProxy(target: number): Promise<FlakyProxy> {
  let delayMs = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    }
    client.on('data', (data) => setTimeout(() => upstream.write(data), delayMs));
    upstream.pipe(client);
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const away = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return {
    port,
    delay: (ms) => {
      delayMs = ms;
    },
    away,
    back: () => listen(port),
    close: () => (server.listening ? away() : Promise.resolve()),
  };
}

import { type ChildProcess, fork } from 'node:child_process';
import type { GatewayStats } from '@loopwarden/gateway';
import type { FromGateway, GatewayOrder, ServedRun, ToGateway } from './gateway-message.ts';

const PROGRAM = new URL('gateway-process.ts', import.meta.url);

interface Hearer {
  heard(message: FromGateway): void;
  /** It ended without having been told to. */
  crashed(error: Error): void;
}

/** A gateway process, seen from its conductor. It ends with this process. */
export class GatewayLink {
  readonly #child: ChildProcess;
  readonly #gone = Promise.withResolvers<GatewayStats>();

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#gone.promise.catch(() => undefined);
  }

  /** Starts a gateway and resolves when it follows the log. */
  static async start(order: GatewayOrder, hearer: Hearer): Promise<GatewayLink> {
    const child = fork(PROGRAM, [JSON.stringify(order)], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    const link = new GatewayLink(child);
    const ready = Promise.withResolvers<void>();
    let said = '';
    child.stderr?.on('data', (data) => {
      said += String(data);
    });
    child.on('message', (message: FromGateway) => {
      if (message.kind === 'ready') ready.resolve();
      else if (message.kind === 'gone') link.#gone.resolve(message.stats);
      else hearer.heard(message);
    });
    child.once('close', (code) => {
      if (code === 0) return;
      const error = new Error(`${order.gatewayId} ended by itself (${code ?? 'killed'}).\n${said}`);
      ready.reject(error);
      link.#gone.reject(error);
      hearer.crashed(error);
    });
    await ready.promise;
    return link;
  }

  serve(run: ServedRun): void {
    this.#tell({ kind: 'serve', run });
  }

  /** Lets it go in good order. Resolves with what it counted, after it let go of its runs. */
  leave(): Promise<GatewayStats> {
    this.#tell({ kind: 'leave' });
    return this.#gone.promise;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #tell(message: ToGateway): void {
    this.#child.send(message);
  }
}

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Adapter, Happening, Reaction, Scenario } from './scenario.ts';

/** A gateway in a process of its own, in any language: a line of JSON in, a line of JSON out. */
export class ProcessAdapter implements Adapter {
  readonly #command: readonly string[];
  #child: ChildProcessByStdio<Writable, Readable, null> | undefined;
  #lines: AsyncIterator<string> | undefined;

  /** @param command program and arguments; started anew for each scenario */
  constructor(command: readonly string[]) {
    this.#command = command;
  }

  async start(scenario: Pick<Scenario, 'gateway' | 'now' | 'policies'>): Promise<Reaction> {
    const [program = '', ...args] = this.#command;
    this.#child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.stdin.on('error', () => {}); // a gateway that is gone answers nothing, which is told
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    const { gateway, now, policies } = scenario;
    return this.#ask({ do: 'start', gateway, now, policies });
  }

  happen(happening: Happening): Promise<Reaction> {
    return this.#ask(happening);
  }

  async stop(): Promise<void> {
    this.#child?.stdin.end();
    this.#child?.kill();
  }

  async #ask(request: object): Promise<Reaction> {
    this.#child?.stdin.write(`${JSON.stringify(request)}\n`);
    const line = await this.#lines?.next();
    if (line === undefined || line.done === true) throw new Error('The gateway ended without an answer.');
    return JSON.parse(line.value) as Reaction;
  }
}

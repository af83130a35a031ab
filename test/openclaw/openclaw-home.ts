import { type ChildProcess, execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PluginConfig } from '@loopwarden/openclaw';
import { freePorts, type Server, startServer, waitUntil } from '../setup/processes.ts';
import { PROMPT } from './scripted-model.ts';

export interface HomeOptions {
  /** Path of the command. */
  readonly command: string;
  readonly folder: string;
  /** Address of the model server. */
  readonly model: string;
  /** Folder of the built plugin; null: it is installed otherwise. */
  readonly plugin: string | null;
  readonly config: PluginConfig;
  /** OpenClaw's own `tools.loopDetection`. */
  readonly ownDetection?: object;
  readonly compaction?: object;
  readonly contextWindow?: number;
}

export interface Ended {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

const COMMAND_MS = 150_000;
const UP_MS = 60_000;
const TOKEN = 'a-token-of-the-tests';

/** One OpenClaw with a state of its own, whose only model is the scripted one. */
export class OpenClawHome {
  readonly workspace: string;
  readonly #options: HomeOptions;
  readonly #environment: NodeJS.ProcessEnv;

  constructor(options: HomeOptions) {
    this.#options = options;
    const { folder } = options;
    this.workspace = join(folder, 'workspace');
    for (const part of ['home', 'state', 'workspace']) mkdirSync(join(folder, part), { recursive: true });
    this.#environment = {
      PATH: process.env.PATH,
      HOME: join(folder, 'home'),
      OPENCLAW_HOME: join(folder, 'home'),
      OPENCLAW_STATE_DIR: join(folder, 'state'),
      OPENCLAW_CONFIG_PATH: join(folder, 'openclaw.json'),
      NO_COLOR: '1',
      npm_config_offline: 'true', // what is installed brings all that it needs
    };
    this.configure({});
  }

  /** Writes the configuration, with what it holds besides. */
  configure(besides: object): void {
    writeFileSync(
      join(this.#options.folder, 'openclaw.json'),
      JSON.stringify({ ...this.#configuration(), ...besides }),
    );
  }

  /** The configuration as it stands: the installer writes to it too. */
  get configuration(): Readonly<Record<string, unknown>> {
    return JSON.parse(readFileSync(join(this.#options.folder, 'openclaw.json'), 'utf8')) as Record<
      string,
      unknown
    >;
  }

  /** Runs a command of OpenClaw to its end. */
  run(...args: string[]): Promise<Ended> {
    return new Promise((resolve) => {
      const options = { cwd: this.workspace, env: this.#environment, timeout: COMMAND_MS };
      const child: ChildProcess = execFile(
        process.execPath,
        [this.#options.command, ...args],
        options,
        (_, out, err) => resolve({ status: child.exitCode ?? -1, out, err }),
      );
      child.stdin?.end();
    });
  }

  /** One turn of the agent in a process of its own. */
  turn(): Promise<Ended> {
    return this.run('agent', '--local', '--agent', 'main', '--message', PROMPT, '--json');
  }

  /** Starts the OpenClaw gateway, which runs turns in its own process. */
  async startGateway(name: string): Promise<Server> {
    const [port = 0] = await freePorts(1);
    const auth = { mode: 'token', token: TOKEN };
    this.configure({ gateway: { mode: 'local', port, bind: 'loopback', auth } });
    const logFile = join(this.#options.folder, `${name}.log`);
    const settings = Object.entries(this.#environment).map(([key, value]) => `${key}=${value}`);
    const command = [...settings, process.execPath, this.#options.command, 'gateway', 'run'];
    const server = startServer({ command: 'env', args: command, logFile });
    await waitUntil({
      ready: async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok,
      alive: () => server.alive,
      withinMs: UP_MS,
      explain: () => `The gateway did not start: ${readFileSync(logFile, 'utf8').slice(-2_000)}`,
    });
    return server;
  }

  /** Asks the gateway for a turn under a run id, and waits for its end unless told otherwise. */
  gatewayTurn(runId: string): Promise<Ended> {
    const params = {
      message: PROMPT,
      agentId: 'main',
      sessionKey: 'agent:main:main',
      idempotencyKey: runId,
    };
    const wait = ['--expect-final', '--timeout', String(COMMAND_MS)];
    return this.run(
      'gateway',
      'call',
      'agent',
      '--params',
      JSON.stringify(params),
      '--token',
      TOKEN,
      ...wait,
    );
  }

  #configuration(): object {
    const {
      model,
      plugin,
      config,
      ownDetection = {},
      compaction = {},
      contextWindow = 120_000,
    } = this.#options;
    const scripted = {
      id: 'scripted',
      name: 'Scripted',
      reasoning: false,
      input: ['text'],
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      contextWindow,
      maxTokens: 4_096,
    };
    const provider = { baseUrl: model, apiKey: 'none', api: 'openai-completions', models: [scripted] };
    const entry = { enabled: true, hooks: { allowConversationAccess: true }, config };
    const plugins = { allow: ['loopwarden'], load: { paths: [plugin] }, entries: { loopwarden: entry } };
    return {
      agents: {
        defaults: {
          workspace: this.workspace,
          model: { primary: 'scripted/scripted' },
          timeoutSeconds: 120,
          compaction,
        },
      },
      models: { mode: 'replace', providers: { scripted: provider } },
      tools: { loopDetection: ownDetection },
      ...(plugin === null ? {} : { plugins }),
      logging: { file: join(this.#options.folder, 'openclaw.log') },
    };
  }
}

import {
  type Connect,
  type OpenClawPlugin,
  openClawPlugin,
  type PluginApi,
  type PluginConfig,
} from '@loopwarden/openclaw';
import type { Rig } from '../gateway/rig.ts';

/** One hook as OpenClaw 2026.7.1-2 called it. */
export interface RecordedHook {
  readonly hook: string;
  readonly event: object;
  readonly context: object;
}

type Handler = (event: object, context: object) => unknown;

/** An OpenClaw that is nothing but its hooks: it calls them as they were recorded, or as a spec says. */
export class RecordedHost {
  readonly aborted: string[] = [];
  readonly said: string[] = [];
  /** What `abortRun` answers. */
  abortable = true;
  /** Aborts by handle. */
  handled = 0;
  readonly plugin: OpenClawPlugin;
  readonly #handlers = new Map<string, Handler>();

  /** @param connect as of the plugin: undefined, the log that the configuration names */
  constructor(connect: Connect | undefined, config: Partial<PluginConfig> = {}) {
    this.plugin = openClawPlugin(
      {
        abortRun: (sessionId) => {
          if (this.abortable) this.aborted.push(sessionId);
          return this.abortable;
        },
        handleOf: () => ({
          abort: () => {
            this.handled += 1;
          },
        }),
      },
      connect,
    );
    this.register({ log: { dir: 'nowhere' }, ...config });
  }

  register(config: unknown): void {
    const add = (name: string, handler: unknown): void => {
      this.#handlers.set(name, handler as Handler);
    };
    const say = (line: string): void => {
      this.said.push(line);
    };
    const api: PluginApi = {
      pluginConfig: config,
      logger: { info: say, warn: say, error: say },
      on: add,
      registerAgentToolResultMiddleware: (handler) => add('middleware', handler),
      agent: { events: { registerAgentEventSubscription: ({ handle }) => add('agent_event', handle) } },
    };
    this.plugin.register(api);
  }

  /** Calls one hook and waits for its answer. */
  async call(hook: string, event: object, context: object = {}): Promise<unknown> {
    return this.#handlers.get(hook)?.(event, context);
  }

  /** Calls recorded hooks, one after the other, while detection keeps up. */
  async replay(recorded: readonly RecordedHook[], rig: Rig): Promise<void> {
    for (const { hook, event, context } of recorded) {
      await this.call(hook, event, context);
      await rig.round();
    }
  }
}

/** The plugin's way to the log of a rig. */
export const connectTo =
  (rig: Rig): Connect =>
  async ({ gateway }, observer) =>
    (await rig.connect({ ...gateway, observer })).gateway;

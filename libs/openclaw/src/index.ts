import { calmly } from './calmly.ts';
import { Guard } from './guard.ts';
import type { Host, PluginApi } from './host.ts';
import { type Connect, connectToLog, Link } from './link.ts';
import { logLines } from './log-lines.ts';
import { Rest } from './rest.ts';
import { type PluginConfig, settingsOf } from './settings.ts';

export type { Host, HostLogger, PluginApi } from './host.ts';
export type { Connect } from './link.ts';
export type { LogPlace, PluginConfig, Settings, Unstoppable } from './settings.ts';

/** What OpenClaw loads. */
export interface OpenClawPlugin {
  readonly id: 'loopwarden';
  readonly name: string;
  readonly description: string;
  /** Called several times in one process; returns at once. */
  register(api: PluginApi): void;
}

/** What stands between OpenClaw and one log. */
interface Post {
  readonly config: string;
  readonly guard: Guard;
  readonly link: Link;
  readonly rest: Rest;
}

/** Ours come first: what loops is refused before anybody is asked for an approval. */
const FIRST = { priority: 1_000 };
const CLOSE_MS = 2_000;

/**
 * The plugin for a host. However often it is registered, its runs share one gateway.
 * @param connect how the log is reached, unless as the configuration says
 */
export function openClawPlugin(host: Host, connect: Connect = connectToLog): OpenClawPlugin {
  let post: Post | null = null;
  const postFor = (api: PluginApi): Post => {
    const config = JSON.stringify(api.pluginConfig);
    if (post?.config === config) return post;
    void post?.link.close(CLOSE_MS);
    post = { config, ...openPost(api, host, connect) };
    return post;
  };
  return {
    id: 'loopwarden',
    name: 'Loopwarden',
    description: 'Refuses the calls of agents that go in circles.',
    register(api) {
      if (!hasLog(api.pluginConfig)) {
        api.logger.error('Loopwarden guards nothing: set plugins.entries.loopwarden.config.log.');
        return;
      }
      listen(api, postFor(api));
    },
  };
}

function hasLog(config: unknown): boolean {
  const { log } = (config ?? {}) as { readonly log?: unknown };
  return typeof log === 'object' && log !== null;
}

function openPost({ pluginConfig, logger }: PluginApi, host: Host, connect: Connect): Omit<Post, 'config'> {
  const settings = settingsOf(pluginConfig as PluginConfig);
  const link = new Link({ settings, logger, observer: logLines(logger), connect });
  const guard = new Guard({ settings, link, host, logger });
  const rest = new Rest({ isBusy: () => guard.isBusy, rest: () => void link.close(CLOSE_MS) });
  return { guard, link, rest };
}

function listen(api: PluginApi, { guard, link, rest }: Post): void {
  const calm = calmly(api.logger, () => rest.stir());
  api.on(
    'gateway_start',
    calm('gateway_start', () => {
      rest.stay();
      link.open();
    }),
  );
  api.on(
    'gateway_stop',
    calm('gateway_stop', () => link.close(CLOSE_MS)),
  );
  api.on(
    'before_tool_call',
    calm('before_tool_call', (event, context) => guard.beforeCall(event, context)),
    FIRST,
  );
  api.on(
    'after_tool_call',
    calm('after_tool_call', (event, context) => guard.afterCall(event, context)),
  );
  api.on(
    'after_compaction',
    calm('after_compaction', (_, context) => guard.afterCompaction(context)),
  );
  api.on(
    'agent_end',
    calm('agent_end', (event, context) => guard.attemptEnded(event, context)),
  );
  api.registerAgentToolResultMiddleware(
    calm('the tool-result middleware', (event) => guard.result(event)),
    { runtimes: ['openclaw'] },
  );
  api.agent.events.registerAgentEventSubscription({
    id: 'loopwarden',
    streams: ['lifecycle', 'compaction'],
    handle: calm('agent events', (event) => guard.agentEvent(event)),
  });
}

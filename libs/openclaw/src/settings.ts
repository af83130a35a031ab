import type { GatewayOptions } from '@loopwarden/gateway';
import type { EmbeddedConnectionOptions } from '@loopwarden/gateway/embedded';
import type { KafkaConnectionOptions } from '@loopwarden/gateway/kafka';

/** Where the log is: a folder of this machine, whose log the detectors make, or a cluster. */
export type LogPlace =
  | Omit<EmbeddedConnectionOptions, 'create'>
  | Omit<KafkaConnectionOptions, 'prefix' | 'log'>;

/** What becomes of a run that goes on with calls which the host cannot refuse, although a verdict does. */
export interface Unstoppable {
  readonly action: 'abort' | 'report';
  /** How many such calls are let pass. */
  readonly after: number;
}

/**
 * The configuration of the plugin. OpenClaw holds it against the schema in `openclaw.plugin.json` before the
 * plugin sees it; what the names mean stands there.
 */
export interface PluginConfig
  extends Pick<
    GatewayOptions,
    'prefix' | 'strict' | 'onStale' | 'operatorKeys' | 'hmacKey' | 'payloads' | 'buffer'
  > {
  readonly log: LogPlace;
  readonly gatewayId?: string;
  readonly onUnstoppable?: Partial<Unstoppable>;
}

/** The model is told of a block that it cannot feel by the missing tool itself; a third try says that it does not listen. */
const UNSTOPPABLE: Unstoppable = { action: 'abort', after: 3 };

export interface Settings {
  readonly log: LogPlace;
  readonly gateway: Omit<GatewayOptions, 'log'>;
  readonly unstoppable: Unstoppable;
}

export function settingsOf(config: PluginConfig): Settings {
  const { log, gatewayId = 'openclaw', onUnstoppable, ...gateway } = config;
  return { log, gateway: { ...gateway, gatewayId }, unstoppable: { ...UNSTOPPABLE, ...onUnstoppable } };
}

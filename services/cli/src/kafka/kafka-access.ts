import { readFileSync } from 'node:fs';
import type { KafkaOptions, KafkaTls, RegistryOptions } from '@loopwarden/stream/kafka';
import type { Config } from '../config/settings.ts';
import { type Outcome, refuse, succeed } from '../user-error.ts';

/** What the configuration says of the way to the brokers. Refuses PEM files that cannot be read. */
export function kafkaAccess(config: Config): Outcome<KafkaOptions> {
  const { brokers, sasl } = config.kafka;
  const tls = tlsOf(config);
  if (!tls.ok) return tls;
  const { mechanism, username, password } = sasl;
  return succeed({
    brokers,
    ...(tls.value === null ? {} : { tls: tls.value }),
    ...(mechanism === null || username === null || password === null
      ? {}
      : { sasl: { mechanism, username, password } }),
  });
}

/** The registry's address and credentials; null: none is configured. */
export function registryAccess({ registry }: Config): RegistryOptions | null {
  const { url, username, password } = registry;
  if (url === null) return null;
  return username === null || password === null ? { url } : { url, auth: { username, password } };
}

function tlsOf({ kafka: { tls } }: Config): Outcome<KafkaTls | null> {
  if (!tls.enabled) return succeed(null);
  const pem: Record<string, string> = {};
  for (const part of ['ca', 'cert', 'key'] as const) {
    const file = tls[part];
    if (file === null) continue;
    try {
      pem[part] = readFileSync(file, 'utf8');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return refuse('bad_tls_file', `kafka.tls.${part} names a file that cannot be read: ${reason}`);
    }
  }
  return succeed({ ...pem, verify: tls.verify });
}

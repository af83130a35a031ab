import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './processes.ts';

/** A secured cluster's listener settings, and what its clients present. */
export interface Security {
  readonly settings: Record<string, string>;
  /** Entries for the format tool. */
  readonly scram: readonly string[];
  readonly tls: { readonly ca: string };
  readonly sasl: {
    readonly plain: Credentials<'plain'>;
    readonly scram256: Credentials<'scram-sha-256'>;
    readonly scram512: Credentials<'scram-sha-512'>;
  };
}

export type Credentials<Mechanism extends string> = {
  readonly mechanism: Mechanism;
  readonly username: string;
  readonly password: string;
};

const LOGIN = 'org.apache.kafka.common.security';

/** Makes a certificate for loopback with the JDK's keytool, and users for all three mechanisms. */
export async function secure(folder: string): Promise<Security> {
  const store = join(folder, 'broker.p12');
  const certificate = join(folder, 'broker.pem');
  const access = ['-keystore', store, '-storepass', 'test-store', '-alias', 'broker'];
  const names = ['-dname', 'CN=localhost', '-ext', 'SAN=DNS:localhost,IP:127.0.0.1', '-validity', '2'];
  await run('keytool', ['-genkeypair', '-keyalg', 'EC', '-storetype', 'PKCS12', ...names, ...access]);
  await run('keytool', ['-exportcert', '-rfc', '-file', certificate, ...access]);
  const user = { username: 'warden', password: 'warden-secret' };
  const plain = `${LOGIN}.plain.PlainLoginModule required username="${user.username}" password="${user.password}" user_${user.username}="${user.password}";`;
  const scram = `${LOGIN}.scram.ScramLoginModule required;`;
  return {
    settings: {
      'ssl.keystore.location': store,
      'ssl.keystore.password': 'test-store',
      'ssl.keystore.type': 'PKCS12',
      'ssl.truststore.location': store,
      'ssl.truststore.password': 'test-store',
      'ssl.truststore.type': 'PKCS12',
      'ssl.endpoint.identification.algorithm': '',
      'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
      'sasl.mechanism.inter.broker.protocol': 'PLAIN',
      'listener.name.clients.plain.sasl.jaas.config': plain,
      'listener.name.clients.scram-sha-256.sasl.jaas.config': scram,
      'listener.name.clients.scram-sha-512.sasl.jaas.config': scram,
    },
    scram: ['SCRAM-SHA-256', 'SCRAM-SHA-512'].map(
      (mechanism) => `${mechanism}=[name=${user.username},password=${user.password}]`,
    ),
    tls: { ca: await readFile(certificate, 'utf8') },
    sasl: {
      plain: { mechanism: 'plain', ...user },
      scram256: { mechanism: 'scram-sha-256', ...user },
      scram512: { mechanism: 'scram-sha-512', ...user },
    },
  };
}

import { describe, expect, expectTypeOf, it } from 'vitest';
import { type ConfigOf, settingNames, settingsTable } from './setting.ts';

const table = settingsTable({
  dataDir: { type: 'string', default: () => '/data', text: '' },
  log: { type: 'enum', values: ['embedded', 'kafka'], default: 'embedded', text: '' },
  'kafka.brokers': { type: 'list', default: [], text: '' },
  'kafka.tls.ca': { type: 'string', default: null, text: '' },
  'http.token': { type: 'secret', default: null, text: '' },
  'http.port': { type: 'integer', default: 1, text: '' },
});

describe('settings table', () => {
  it('gives the configuration its type: nested, with null only where the default is null', () => {
    expectTypeOf<ConfigOf<typeof table>>().toEqualTypeOf<{
      readonly dataDir: string;
      readonly log: 'embedded' | 'kafka';
      readonly kafka: { readonly brokers: readonly string[]; readonly tls: { readonly ca: string | null } };
      readonly http: { readonly token: string | null; readonly port: number };
    }>();
  });

  it('one key says how a setting is called everywhere', () => {
    expect(settingNames('kafka.tls.ca', table['kafka.tls.ca'])).toEqual({
      environment: 'LOOPWARDEN_KAFKA_TLS_CA',
      flag: '--kafka-tls-ca',
      option: 'kafkaTlsCa',
    });
    expect(settingNames('dataDir', table.dataDir)).toEqual({
      environment: 'LOOPWARDEN_DATA_DIR',
      flag: '--data-dir',
      option: 'dataDir',
    });
  });

  it('a secret has no flag', () => {
    expect(settingNames('http.token', table['http.token']).flag).toBeNull();
  });
});

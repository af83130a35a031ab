/** What the sources of a package may import; specs may also take test tools. */
export interface Allowance {
  /** Packages of this project. `services` stands for every service's one export. */
  readonly packages: readonly string[];
  readonly npm: readonly string[];
  /** Modules of the platform; `'any'` where the package may do I/O. */
  readonly node: readonly string[] | 'any';
}

const libs = (...names: string[]): string[] => names.map((name) => `@loopwarden/${name}`);

/** Who may import whom, by directory. The arrow always points to detection, and detection points nowhere. */
export const IMPORT_TABLE: Readonly<Record<string, Allowance>> = {
  'libs/detection': { packages: [], npm: [], node: [] },
  'libs/wire': { packages: libs('detection', 'schemas'), npm: ['avsc'], node: ['buffer', 'crypto'] },
  'libs/stream': { packages: [], npm: ['rxjs'], node: 'any' },
  'libs/runtime': { packages: [], npm: ['pino', 'pino-pretty', 'prom-client', 'json5'], node: 'any' },
  'libs/gateway': { packages: libs('detection', 'wire', 'stream'), npm: ['rxjs'], node: 'any' },
  'libs/openclaw': { packages: libs('gateway'), npm: [], node: 'any' },
  'services/detector': {
    packages: libs('detection', 'wire', 'stream', 'runtime', 'schemas'),
    npm: ['rxjs'],
    node: 'any',
  },
  'services/edge': { packages: libs('gateway', 'runtime'), npm: [], node: 'any' },
  'services/audit': { packages: libs('wire', 'stream', 'runtime'), npm: ['rxjs'], node: 'any' },
  'services/cli': {
    packages: [...libs('detection', 'wire', 'stream', 'runtime', 'gateway', 'schemas'), 'services'],
    npm: ['commander', 'cli-progress', 'json5', 'rxjs'],
    node: 'any',
  },
  schemas: { packages: [], npm: [], node: 'any' },
};

/** Clients that belong to one driver: only the files below its directory may import them. */
export const DRIVER_CLIENTS: Readonly<Record<string, readonly string[]>> = {
  'libs/stream/src/kafka/': ['kafkajs', '@kafkajs/confluent-schema-registry'],
};

/** Entry points of the log's drivers: for composition roots and tests alone. */
export const DRIVERS = ['./memory', './embedded', './kafka'];

/** What a spec, or a suite of promises that drivers are held to, may import besides. */
export const TEST_TOOLS = ['vitest', 'fast-check', 'ajv'];
/** Suites of promises that ship in nothing. */
export const SUITES = ['libs/stream/src/contract/'];

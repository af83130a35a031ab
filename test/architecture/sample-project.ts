const manifest = (
  name: string,
  exports: Record<string, string>,
  dependencies: Record<string, string>,
): string => JSON.stringify({ name, exports, dependencies });

const own = (...names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [`@loopwarden/${name}`, '0.1.0']));

/** A small project that keeps every rule: specs plant one breach at a time in it. */
export const SAMPLE_PROJECT: Readonly<Record<string, string>> = {
  'README.md': '# Loopwarden',
  'vitest.config.ts': 'export default {};',
  'libs/detection/package.json': manifest('@loopwarden/detection', { '.': './src/index.ts' }, {}),
  'libs/detection/src/index.ts': `export type * from './event.ts';\nexport { latest } from './window.ts';`,
  'libs/detection/src/event.ts': 'export interface Event { readonly process: string; readonly at: number }',
  'libs/detection/src/window.ts': `
    import type { Event } from './event.ts';
    const profiles = { process: 'polls' };
    export const latest = (events: readonly Event[]) => events.at(-1)?.process ?? profiles.process;`,
  'libs/detection/src/window.spec.ts': `
    import { createHash } from 'node:crypto';
    import { fc } from 'fast-check';
    import { it } from 'vitest';
    import { latest } from './window.ts';
    it.each([1])('is the last', async () => { await fc(createHash, latest, Date.now()); });`,
  'libs/stream/package.json': manifest(
    '@loopwarden/stream',
    { '.': './src/index.ts', './memory': './src/memory/index.ts', './kafka': './src/kafka/index.ts' },
    { rxjs: '7.8.2', kafkajs: '2.2.4' },
  ),
  'libs/stream/src/index.ts': `export { fold } from './fold.ts';`,
  'libs/stream/src/fold.ts': `import { scan } from 'rxjs';\nexport const fold = scan;`,
  'libs/stream/src/kafka/index.ts': `import { Kafka } from 'kafkajs';\nexport const kafkaLog = Kafka;`,
  'libs/stream/src/memory/index.ts': 'export const memoryLog = () => [];',
  'services/detector/package.json': manifest(
    '@loopwarden/detector',
    { '.': './src/main.ts' },
    { ...own('detection', 'stream'), rxjs: '7.8.2' },
  ),
  'services/detector/src/main.ts': `
    import { kafkaLog } from '@loopwarden/stream/kafka';
    import { detector } from './topology.ts';
    export const start = () => detector(kafkaLog);`,
  'services/detector/src/topology.ts': `
    import { latest } from '@loopwarden/detection';
    import { fold } from '@loopwarden/stream';
    import { map } from 'rxjs';
    export const detector = (log: unknown) => [fold, map, latest, log];`,
  'services/detector/src/topology.spec.ts': `
    import { memoryLog } from '@loopwarden/stream/memory';
    import { detector } from './topology.ts';
    detector(memoryLog());`,
  'services/cli/package.json': JSON.stringify({
    name: 'loopwarden',
    bin: { loopwarden: './bin/loopwarden.js' },
    dependencies: own('detector'),
  }),
  'services/cli/bin/loopwarden.js': `import '../src/main.ts';`,
  'services/cli/src/main.ts': `import { start } from '@loopwarden/detector';\nstart();`,
  'services/cli/src/up.int.spec.ts': `import { describe } from 'vitest';\ndescribe.skipIf(true)('up', () => {});`,
};

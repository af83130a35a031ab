import { defineConfig, type TestProjectConfiguration } from 'vitest/config';

const exclude = ['**/node_modules/**', '**/dist/**'];
const all = ['libs', 'services', 'schemas', 'test'];
const tier = (suffix: string): string[] => all.map((root) => `${root}/**/*.${suffix}.ts`);

/** Brings a broker to the tiers above unit, once for all their files. */
const services = 'test/setup/services.ts';

/** A tier whose specs share a broker, a disk and two cores: one file at a time, after the tiers below it. */
const shared = (name: string, groupOrder: number, timeout: number): TestProjectConfiguration => ({
  test: {
    name,
    include: tier(`${name}.spec`),
    exclude,
    globalSetup: services,
    testTimeout: timeout,
    hookTimeout: timeout,
    fileParallelism: false,
    // Real processes on a busy machine: the build believes in a fault that comes twice.
    retry: process.env.CI === undefined ? 0 : 1,
    sequence: { groupOrder },
  },
});

/** One project a tier: the suffix of a spec says what it needs. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: tier('spec'),
          exclude: [...exclude, '**/*.int.spec.ts', '**/*.e2e.spec.ts'],
          // Generous: a busy machine is no failure.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      shared('int', 1, 180_000),
      shared('e2e', 2, 300_000),
    ],
  },
});

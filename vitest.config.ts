import { defineConfig } from 'vitest/config';

const exclude = ['**/node_modules/**', '**/dist/**'];
const all = ['libs', 'services', 'schemas', 'test'];
const tier = (suffix: string): string[] => all.map((root) => `${root}/**/*.${suffix}.ts`);

/** One project a tier: the suffix of a spec says what it needs. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: tier('spec'),
          exclude: [...exclude, '**/*.int.spec.ts', '**/*.e2e.spec.ts'],
        },
      },
    ],
  },
});

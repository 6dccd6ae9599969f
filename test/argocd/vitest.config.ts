import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest reads the default export of its configuration.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'judge',
          include: ['test/argocd/judge/*.test.ts'],
          // By default one core is left idle.
          maxWorkers: '100%',
          testTimeout: 300_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'installation',
          include: ['test/argocd/installation/*.test.ts'],
          maxWorkers: 1,
          testTimeout: 300_000,
          hookTimeout: 300_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});

import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest reads the default export of its configuration.
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    setupFiles: 'test/fixed-seeds.ts',
    // Each file has a browser, which uses both cores of a small machine.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});

import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest reads the default export of its configuration.
export default defineConfig({
  test: {
    include: ['test/lifecycle/**/*.test.ts'],
    setupFiles: 'test/fixed-seeds.ts',
    testTimeout: 240_000,
    // Histories wait most of the time.
    maxConcurrency: 5,
  },
});

import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest reads the default export of its configuration.
export default defineConfig({
  test: {
    include: ['test/bundles/**/*.test.ts'],
    setupFiles: 'test/fixed-seeds.ts',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Import times are measured: nothing else runs beside.
    fileParallelism: false,
  },
});

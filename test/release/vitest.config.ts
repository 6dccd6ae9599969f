import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest reads the default export of its configuration.
export default defineConfig({
  test: {
    include: ['test/release/**/*.test.ts'],
    setupFiles: 'test/fixed-seeds.ts',
    // A package is built, installed and run in processes of their own.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});

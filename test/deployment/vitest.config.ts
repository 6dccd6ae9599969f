import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest reads the default export of its configuration.
export default defineConfig({
  test: {
    include: ['test/deployment/**/*.test.ts'],
    setupFiles: 'test/fixed-seeds.ts',
    // The deployment framework runs in processes of its own.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});

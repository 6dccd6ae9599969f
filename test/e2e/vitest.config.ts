import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest reads the default export of its configuration.
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    setupFiles: 'test/fixed-seeds.ts',
    globalSetup: ['test/e2e/global-setup.ts'],
    // The files share three API servers and, on a small machine, two cores.
    fileParallelism: false,
    // Ends what hangs; how long a test takes on a busy machine is nobody's fault.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});

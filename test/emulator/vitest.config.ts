import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest reads the default export of its configuration.
export default defineConfig({
  test: {
    include: ['test/emulator/**/*.test.ts'],
    globalSetup: ['test/emulator/global-setup.ts'],
    // Each file has an emulator of its own; on a small machine they would take the cores from each other.
    fileParallelism: false,
    // The tests of a deployment are steps of one story.
    bail: 1,
    // The container ends with its test file; the helper that would end it otherwise is another image to pull.
    env: { TESTCONTAINERS_RYUK_DISABLED: 'true' },
    testTimeout: 240_000,
    hookTimeout: 180_000,
  },
});

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/{unit,property,contract,simulation,embedded,hostile}/**/*.test.ts'],
    // By default one core is left idle.
    maxWorkers: '100%',
    // Loading modules again for each file took longer than the tests. No test replaces a module.
    isolate: false,
    setupFiles: 'test/fixed-seeds.ts',
    // Ends what hangs; how long a test takes on a busy machine is nobody's fault.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    coverage: {
      provider: 'v8',
      include: ['shared/core/**/*.ts'],
      thresholds: { lines: 100, branches: 100, functions: 100, statements: 100 },
      reporter: ['text-summary', 'text'],
    },
  },
});

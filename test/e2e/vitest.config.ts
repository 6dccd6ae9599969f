import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { COMPILE_CACHE } from '../compile-cache.ts';

/** The order of earlier runs would depend on how long they took. */
class ByName extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
  }
}

// biome-ignore lint/style/noDefaultExport: vitest reads the default export of its configuration.
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    setupFiles: 'test/fixed-seeds.ts',
    globalSetup: ['test/e2e/global-setup.ts'],
    // The files share three API servers and, on a small machine, two cores.
    fileParallelism: false,
    sequence: { sequencer: ByName },
    // Loading modules again for each file takes longer than some of the files. No test replaces a module.
    isolate: false,
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE },
    // Ends what hangs; how long a test takes on a busy machine is nobody's fault.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});

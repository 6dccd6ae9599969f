import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { COMPILE_CACHE } from './test/compile-cache.ts';

/** The folders whose files take longest, so that no core is left idle at the end. */
const FIRST = ['simulation', 'embedded', 'property'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = FIRST.findIndex((folder) => moduleId.includes(`/test/${folder}/`));
      return index < 0 ? FIRST.length : index;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    include: ['test/{unit,property,contract,simulation,embedded,hostile}/**/*.test.ts'],
    // Some tests wait for other processes.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    sequence: { sequencer: LongestFirst },
    // Loading modules again for each file took longer than the tests. No test replaces a module.
    isolate: false,
    env: {
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      // What one worker makes for all of them (test/packaged-command.ts).
      STARFOLD_TEST_RUN: randomUUID(),
    },
    globalSetup: 'test/temporary-files.ts',
    setupFiles: 'test/fixed-seeds.ts',
    // Ends what hangs; how long a test takes on a busy machine is nobody's fault.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    coverage: {
      provider: 'istanbul',
      include: ['shared/core/**/*.ts'],
      thresholds: { lines: 100, branches: 100, functions: 100, statements: 100 },
      reporter: ['text-summary', 'text'],
    },
  },
});

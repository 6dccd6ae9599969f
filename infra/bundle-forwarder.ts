import { type BuildOptions, build } from 'esbuild';
import plugins from './bundles/plugins.cjs';

/**
 * How the forwarder is bundled with all of its dependencies, as one file for Node 24.
 *
 * @param root the root of the repository
 */
export function forwarderBundle(root: string) {
  return {
    entryPoints: ['functions/event-forwarder/program/main.ts'],
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // The ESM builds of the AWS SDK. Unused code can be left out of them.
    mainFields: ['module', 'main'],
    plugins,
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'warning',
    banner: {
      // Some packages are CommonJS and load modules of Node with require, which ESM does not have.
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  } satisfies BuildOptions;
}

// infra/Dockerfile runs it.
if (import.meta.main) {
  const [outfile] = process.argv.slice(2);
  if (outfile === undefined) throw new Error('usage: bundle-forwarder.ts FILE');
  await build({ ...forwarderBundle(`${import.meta.dirname}/..`), outfile });
}

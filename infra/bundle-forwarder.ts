import { build } from 'esbuild';

const [outfile] = process.argv.slice(2);
if (outfile === undefined) throw new Error('usage: bundle-forwarder.ts FILE');
// The forwarder with all of its dependencies, as one file for Node 24.
await build({
  entryPoints: ['functions/event-forwarder/program/main.ts'],
  absWorkingDir: `${import.meta.dirname}/..`,
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // The ESM builds of the AWS SDK. Unused code can be left out of them.
  mainFields: ['module', 'main'],
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  banner: {
    // Some packages are CommonJS and load modules of Node with require, which ESM does not have.
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
});

import { build } from 'esbuild';

/**
 * Builds the forwarder, with all that it needs, as one file for Node 24 (infra/Dockerfile).
 *
 * @param outfile where it goes: `<name>.mjs`
 * @returns its size in bytes
 * @throws the failure of esbuild, with what it could not resolve
 */
export async function buildForwarder(outfile: string): Promise<number> {
  const { metafile } = await build({
    entryPoints: ['functions/event-forwarder/program/main.ts'],
    absWorkingDir: `${import.meta.dirname}/..`,
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // The ESM builds of the AWS SDK, from which what is not used can be left out.
    mainFields: ['module', 'main'],
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    banner: {
      // Some packages are CommonJS and ask for modules of Node by require, which ESM does not have.
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  return Object.values(metafile.outputs).reduce((sum, { bytes }) => sum + bytes, 0);
}

if (import.meta.main) {
  const [outfile = '.out/event-forwarder.mjs'] = process.argv.slice(2);
  const bytes = await buildForwarder(outfile);
  process.stdout.write(`${outfile}: ${Math.round(bytes / 1024)} KiB\n`);
}

import { join, relative } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import plugins from '#infra/bundles/plugins.cjs';
import { isLegal, legalCommentsOf, sourcesOf } from './bundled-sources.ts';

/** A file of the package. */
export interface PackedFile {
  /** Path from the root of the package. */
  readonly name: string;
  readonly content: Uint8Array;
  /** Whether the file can be run. */
  readonly isProgram?: boolean;
}

/** The code of the command, bundled. */
export interface BundledCommand {
  readonly files: readonly PackedFile[];
  /** The source files of which something is in the bundle, as paths from the root of the repository. */
  readonly sources: readonly string[];
  /** The comments with licences and copyrights that stand in these files. */
  readonly legalComments: string;
}

/** The program to which both names of the command lead. */
export const PROGRAM = 'bin/starfold.js';
/** Where `packageFile` is: one folder below the root, as in the repository (local/package-file.ts). */
const CODE = 'lib';

/** The threads of the stack, at the paths at which local/stack looks for them. */
const WORKERS = ['aggregation', 'checkpoint', 'query'].map((name) => `local/stack/${name}-worker`);

/**
 * How programs are bundled with all of their dependencies for Node 22.13. What only some of them load, or load later, is in files of
 * its own. The names of functions and classes stay, so that stack traces can be read.
 *
 * @param root the root of the repository
 * @param outdir the folder of the files
 * @param programs the modules that begin the programs: path in the folder without `.js`, and path in the repository
 */
export function commandBundle(
  root: string,
  outdir: string,
  programs: Readonly<Record<string, string>>,
) {
  return {
    absWorkingDir: root,
    entryPoints: {
      ...programs,
      ...Object.fromEntries(WORKERS.map((path) => [path, `${path}.js`])),
    },
    outdir,
    chunkNames: `${CODE}/[name]-[hash]`,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node22.13',
    format: 'esm',
    // The ESM builds of the AWS SDK. Unused code can be left out of them.
    mainFields: ['module', 'main'],
    // For the reasons that infra/esbuild.yml gives.
    alias: {
      http: './infra/bundles/node-http.cjs',
      'node:http': './infra/bundles/node-http.cjs',
    },
    plugins,
    minifySyntax: true,
    minifyWhitespace: true,
    logLevel: 'silent',
    banner: {
      // Some packages are CommonJS and load modules of Node with require, which ESM does not have.
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  } satisfies BuildOptions;
}

/**
 * Bundles the command. Each sub-command is a file that is only loaded if the sub-command is used.
 *
 * @param root the root of the repository
 * @throws esbuild's BuildFailure, with the modules that it could not resolve
 */
export async function bundleCommand(root: string): Promise<BundledCommand> {
  const outdir = join(root, 'dist');
  const programs = { [PROGRAM.replace(/\.js$/, '')]: 'local/cli/packaged.js' };
  const { outputFiles, metafile } = await build({
    ...commandBundle(root, outdir, programs),
    write: false,
    metafile: true,
    legalComments: 'external',
  });
  const files = outputFiles.map(({ path, contents, text }) => ({
    name: relative(outdir, path),
    content: contents,
    text,
  }));
  const comments = files.filter(({ name }) => isLegal(name)).map(({ text }) => text);
  return {
    files: files
      .filter(({ name }) => !isLegal(name))
      .map(({ name, content }) => ({ name, content, isProgram: name === PROGRAM })),
    sources: sourcesOf(Object.values(metafile.outputs)),
    legalComments: legalCommentsOf(comments),
  };
}

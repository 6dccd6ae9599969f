import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { parse } from 'yaml';

const require = createRequire(import.meta.url);
const ROOT = join(import.meta.dirname, '..', '..');
const FUNCTIONS = join(ROOT, 'functions');

/** infra/esbuild.yml: options of esbuild, the file with its plugins, and three options of serverless-esbuild's own. */
interface BundleOptions extends Omit<BuildOptions, 'plugins'> {
  readonly plugins: string;
  readonly exclude: string[];
  readonly outputFileExtension: string;
  readonly keepOutputDirectory?: boolean;
}

/** One function as it is deployed. */
export interface Bundle {
  /** Path of the file. */
  readonly file: string;
  readonly bytes: number;
  /** Bytes in the bundle by source file, largest first; the paths begin at the root of the repository. */
  readonly inputs: readonly (readonly [path: string, bytes: number])[];
  /** The modules that it asks for while it runs. */
  readonly imports: readonly string[];
}

/** The folders of all entry points that are deployed, below `functions`, sorted. */
export function functionNames(): readonly string[] {
  return readdirSync(FUNCTIONS, { recursive: true, encoding: 'utf8' })
    .filter((name) => existsSync(join(FUNCTIONS, name, 'handler.ts')))
    .sort();
}

function inputsOf({ outputs }: Metafile): Bundle['inputs'] {
  return Object.values(outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .map(([path, { bytesInOutput }]) => [path, bytesInOutput] as const)
    .filter(([, bytes]) => bytes > 0)
    .sort(([, a], [, b]) => b - a);
}

function importsOf({ outputs }: Metafile): Bundle['imports'] {
  const paths = Object.values(outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  return [...new Set(paths)].sort();
}

/**
 * Builds a bundle that has nothing of ours: the DynamoDB client with one command.
 *
 * @param directory where the file goes
 * @returns its path
 */
export async function yardstick(directory: string): Promise<string> {
  const file = join(directory, 'yardstick.mjs');
  const { alias: _, ...options } = esbuildOptions();
  const contents = `
    import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
    export const used = [new DynamoDBClient({}), PutItemCommand];`;
  await build({
    ...options,
    absWorkingDir: ROOT,
    stdin: { contents, resolveDir: ROOT },
    outfile: file,
    logLevel: 'silent',
  });
  return file;
}

/** esbuild's part of infra/esbuild.yml, as serverless-esbuild hands it on. */
function esbuildOptions(): BuildOptions {
  const text = readFileSync(join(ROOT, 'infra', 'esbuild.yml'), 'utf8');
  // The schema of esbuild itself refuses what it does not know.
  const options = parse(text) as BundleOptions;
  const { exclude, outputFileExtension, keepOutputDirectory: _, ...rest } = options;
  const plugins = require(join(ROOT, rest.plugins)) as Plugin[];
  return { ...rest, plugins, external: exclude, outExtension: { '.js': outputFileExtension } };
}

/**
 * Builds a function with the options that it is deployed with.
 *
 * @param name a name that `functionNames` returned
 * @param directory where the file goes
 * @throws the failure of esbuild, with what it could not resolve
 */
export async function bundle(name: string, directory: string): Promise<Bundle> {
  const { metafile, warnings } = await build({
    ...esbuildOptions(),
    absWorkingDir: ROOT,
    entryPoints: [join(FUNCTIONS, name, 'handler.ts')],
    entryNames: name,
    outdir: directory,
    metafile: true,
    logLevel: 'silent',
  });
  if (warnings.length > 0) throw new Error(`${name}: ${warnings.map(({ text }) => text)}`);
  const bytes = Object.values(metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
  const file = join(directory, `${name}.mjs`);
  return { file, bytes, inputs: inputsOf(metafile), imports: importsOf(metafile) };
}

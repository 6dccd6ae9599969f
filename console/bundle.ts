import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** A file of the page: its name, which is also its path in the URL, and its content. */
export interface BundledFile {
  readonly name: string;
  readonly content: Uint8Array;
  /** The files of which something is in it, as paths from the root of the repository. */
  readonly sources: readonly string[];
}

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, '..');
const PAGE = join(HERE, 'page');
/** Where files that are copied come from. The documentation of the rules comes along, because the page refers to no other server. */
const COPIED = {
  'index.html': join(PAGE, 'index.html'),
  'theme.js': join(PAGE, 'theme.js'),
  'favicon.svg': join(PAGE, 'favicon.svg'),
  'rules.txt': join(HERE, '../docs/rules.md'),
};

/**
 * Builds the page: one script and one style sheet without any reference to another server. The same sources give the same bytes.
 *
 * @throws esbuild's BuildFailure, which names file and line
 */
export async function bundlePage(): Promise<readonly BundledFile[]> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    metafile: true,
    entryPoints: { console: join(PAGE, 'main.tsx'), style: join(PAGE, 'style.css') },
    outdir: join(HERE, 'dist'),
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2023',
    // A browser that knows light-dark() knows everything else that the style sheet has.
    supported: { nesting: true },
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'silent',
  });
  const built = outputFiles.map(({ path, contents }) => ({
    name: path.slice(join(HERE, 'dist').length + 1),
    content: contents,
    sources: Object.keys(metafile.outputs[relative(ROOT, path)]?.inputs ?? {}),
  }));
  const copied = Object.entries(COPIED).map(([name, file]) => ({
    name,
    content: readFileSync(file),
    sources: [relative(ROOT, file)],
  }));
  return [...copied, ...built];
}

/** Builds the page into `dist/`, from which `starfold start` serves it. */
async function main(): Promise<void> {
  const folder = join(HERE, 'dist');
  mkdirSync(folder, { recursive: true });
  for (const { name, content } of await bundlePage()) writeFileSync(join(folder, name), content);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();

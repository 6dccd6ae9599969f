import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the repository. */
export const ROOT = join(import.meta.dirname, '..', '..', '..');

/** A Markdown file of the repository. */
export interface Document {
  /** Path from the root, with slashes. */
  readonly path: string;
  readonly text: string;
  /** The text without fenced code blocks. */
  readonly prose: string;
}

/** A fenced block of code. */
interface CodeBlock {
  /** What stands behind the fence: `sh`, `yaml`, or `''`. */
  readonly language: string;
  readonly code: string;
}

/** The blocks of a list's items are indented. */
const FENCED = /^( *)```(\w*)\n([\s\S]*?)^\1```$/gm;

/** Reads a Markdown file. */
export function readDocument(path: string): Document {
  const text = readFileSync(join(ROOT, path), 'utf8');
  return { path, text, prose: text.replaceAll(FENCED, '') };
}

/** Every Markdown file of the repository, installed packages apart. */
export function documents(): readonly Document[] {
  return globSync('**/*.md', { cwd: ROOT, exclude: ['**/node_modules', 'coverage'] })
    .sort()
    .map(readDocument);
}

/** The fenced blocks of a text, in order. */
export function codeBlocks(text: string): readonly CodeBlock[] {
  return [...text.matchAll(FENCED)].map(([, indent = '', language = '', code = '']) => ({
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

/** The targets of the links and pictures of a document. */
export function linkTargets({ prose }: Document): readonly string[] {
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

/** The anchors that GitHub gives to the headings of a document, and those that it has itself (`<a id="name">`). */
export function anchors({ prose }: Document): ReadonlySet<string> {
  const own = [...prose.matchAll(/^<a id="([\w-]+)"><\/a>$/gm)].map(([, id = '']) => id);
  const headings = [...prose.matchAll(/^#+ +(.+)$/gm)].map(([, heading = '']) => heading);
  const ofHeadings = headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set([...own, ...ofHeadings]);
}

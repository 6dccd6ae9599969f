import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFile } from '#local/package-file.ts';
import { AppError } from '#shared/errors.ts';
import { SECURITY_HEADERS } from '#shared/runtime/http-headers.ts';
import { hasNo, notBuilt } from './messages.ts';

/** The built page is not there. The message has the remedy. */
export class PageNotBuiltError extends AppError {
  override readonly name = 'PageNotBuiltError';
  readonly code = 'page-not-built';
  readonly retryable = false;
}

/** A file of the page, as it is sent. */
export interface PageFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Uint8Array;
}

/** The files of the page by the path of their URL. */
export type PageFiles = ReadonlyMap<string, PageFile>;

/**
 * Scripts and styles only as files of this server, requests only to it, no frame around it, and no text that becomes markup
 * (Content Security Policy Level 3; Trusted Types).
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

const INDEX = 'index.html';
const BUILT = fileURLToPath(packageFile('console/dist'));

function pageFile(name: string, content: Uint8Array): PageFile {
  const hash = createHash('sha256').update(content).digest('base64url');
  return {
    headers: {
      ...SECURITY_HEADERS,
      'content-security-policy': POLICY,
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-cache',
      'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
      etag: `"${hash}"`,
    },
    content,
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw new PageNotBuiltError(notBuilt(folder), { cause: error });
  }
}

/**
 * Reads the built page. Its files are small and stay in memory, so no request reaches the file system.
 *
 * @throws PageNotBuiltError if it is not built
 */
export function readPageFiles(folder = BUILT): PageFiles {
  const names = namesIn(folder);
  if (!names.includes(INDEX)) throw new PageNotBuiltError(notBuilt(hasNo(folder, INDEX)));
  return pageFilesOf(names.map((name) => ({ name, content: readFileSync(join(folder, name)) })));
}

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' };
const NO_WDS = '<meta name="wds" content="">';

/** The files of a page that shows the name of its WDS. */
export function namedPage(files: PageFiles, wds: string): PageFiles {
  const index = files.get('/');
  if (index === undefined) return files;
  const text = new TextDecoder().decode(index.content);
  const name = wds.replaceAll(/[&<"]/g, (character) => MARKUP[character] ?? '');
  const named = text.replace(NO_WDS, () => NO_WDS.replace('""', () => `"${name}"`));
  return new Map([...files, ['/', pageFile(INDEX, new TextEncoder().encode(named))]]);
}

/** The files of a built page by their paths. */
export function pageFilesOf(
  files: readonly { readonly name: string; readonly content: Uint8Array }[],
): PageFiles {
  return new Map(
    files.map(({ name, content }) => [name === INDEX ? '/' : `/${name}`, pageFile(name, content)]),
  );
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundlePage } from '#console/bundle.ts';
import { hasNo, notBuilt } from '#local/console/messages.ts';
import {
  namedPage,
  PageNotBuiltError,
  pageFilesOf,
  readPageFiles,
} from '#local/console/page-files.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-page-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the files of the page', () => {
  it('have a policy that allows nothing but files and requests of the same server', () => {
    writeFileSync(join(folder, 'index.html'), '<!doctype html>');
    const headers = readPageFiles(folder).get('/')?.headers ?? {};
    const policy = new Set((headers['content-security-policy'] ?? '').split('; '));
    expect(policy).toEqual(
      new Set([
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
      ]),
    );
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  });

  it('are named by their paths, the first one by /', () => {
    for (const name of ['index.html', 'console.js']) writeFileSync(join(folder, name), name);
    expect([...readPageFiles(folder).keys()].toSorted()).toEqual(['/', '/console.js']);
  });

  it('are missing as long as they are not built, and the error says how to build them', () => {
    const none = join(folder, 'none');
    expect(() => readPageFiles(folder)).toThrow(PageNotBuiltError);
    expect(() => readPageFiles(folder)).toThrow(notBuilt(hasNo(folder, 'index.html')));
    expect(() => readPageFiles(none)).toThrow(notBuilt(none));
  });
});

it('names the WDS in the page, whatever its name is', async () => {
  const files = pageFilesOf(await bundlePage());
  const named = namedPage(files, '"><script>&amp; $&');
  const text = new TextDecoder().decode(named.get('/')?.content);
  expect(text).toContain('<meta name="wds" content="&quot;>&lt;script>&amp;amp; $&amp;">');
  expect(named.get('/')?.headers['etag']).not.toBe(files.get('/')?.headers['etag']);
  expect(named.get('/console.js')).toBe(files.get('/console.js'));
});

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildExtension } from '#extensions/argocd/build.ts';

const MAX_BYTES = 30 * 1024;

let folder: string;
let file: string;
let text: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-extension-'));
  file = await buildExtension(folder);
  text = readFileSync(file, 'utf8');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the file of the extension', () => {
  it('has a name that Argo CD loads, and is small', () => {
    expect(basename(file)).toMatch(/^extension(.*)\.js$/);
    expect(gzipSync(text).length).toBeLessThan(MAX_BYTES);
  });

  it('is a script without imports, which Argo CD can put into a block', () => {
    expect(() => new Function(`try {\n${text}\n} catch (error) { throw error; }`)).not.toThrow();
    expect(text).not.toMatch(/\bimport\b\s*[({'"]|\brequire\(/);
  });

  it('names no other host, and never writes markup or runs text', () => {
    expect(text.match(/https?:\/\/[\w.]+/g)).toBeNull();
    expect(text).not.toMatch(/innerHTML|dangerouslySet|document\.write|\beval\(|new Function/);
  });
});

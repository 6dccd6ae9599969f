import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFollowedFiles } from '#shared/adapters/http/cached-file.ts';

let folder: string;
let file: string;
let said: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-followed-'));
  file = join(folder, 'number');
  said = [];
});

afterEach(() => rmSync(folder, { recursive: true }));

function numberIn(path: string): number {
  const text = readFileSync(path, 'utf8');
  said.push(`made of ${text}`);
  if (Number.isNaN(Number(text))) throw new Error(`no number: ${text}`);
  return Number(text);
}

function follow(): () => number {
  return createFollowedFiles({
    files: [file],
    make: () => numberIn(file),
    onFault: (fault) => said.push(`fault: ${fault}`),
    onRead: () => said.push('read again'),
  });
}

describe('what is made of files that are followed', () => {
  it('is made at once, and again only when a file has changed', () => {
    writeFileSync(file, '1');
    const look = follow();
    expect([look(), look()]).toEqual([1, 1]);
    writeFileSync(file, '22');
    expect([look(), look()]).toEqual([22, 22]);
    expect(said).toEqual(['made of 1', 'made of 22', 'read again']);
  });

  it('is retried while a file is bad, which is reported once, until it is corrected', () => {
    writeFileSync(file, '1');
    const look = follow();
    writeFileSync(file, 'one');
    expect([look(), look()]).toEqual([1, 1]);
    writeFileSync(file, '333');
    expect(look()).toBe(333);
    expect(said.slice(1)).toEqual([
      ...['made of one', 'fault: no number: one', 'made of one'],
      ...['made of 333', 'read again', 'fault: undefined'],
    ]);
  });

  it('is nothing if it cannot be made at first', () => {
    expect(follow).toThrow(/ENOENT/);
    writeFileSync(file, 'one');
    expect(follow).toThrow('no number: one');
  });
});

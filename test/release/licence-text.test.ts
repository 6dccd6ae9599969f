import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundledPackages } from '#infra/release/bundled-packages.ts';
import { LicenceMissingError, spdxText } from '#infra/release/licence-text.ts';

const named = { title: 'left@1.0.0', license: 'MIT', copyrights: ['Copyright (c) Ada'] };

describe('the licence of a package without a licence file', () => {
  it.each(['MIT', 'MIT-0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD'])(
    'is the text of %s with its own copyright instead of an example',
    (license) => {
      const text = spdxText({ ...named, license });
      expect(text.match(/^copyright.*$/gim)).toEqual(['Copyright (c) Ada']);
      expect(text).toMatch(/WITHOUT|DISCLAIM/);
    },
  );

  it('is every text of an expression that joins licences', () => {
    const text = spdxText({ ...named, license: '(Apache-2.0 AND BSD-3-Clause)' });
    expect(text).toContain('Version 2.0, January 2004');
    expect(text).toContain('Redistribution and use in source and binary forms');
  });

  it.each(['SEE LICENSE IN terms.txt', 'UNLICENSED', 'MIT OR GPL-3.0-only'])(
    'is refused if SPDX has no text of "%s"',
    (license) => {
      expect(() => spdxText({ ...named, license })).toThrow(LicenceMissingError);
      expect(() => spdxText({ ...named, license })).toThrow(`left@1.0.0 has no licence file`);
    },
  );

  it('is refused if the text speaks of a copyright and nobody is named who has it', () => {
    expect(() => spdxText({ ...named, copyrights: [] })).toThrow(
      'left@1.0.0 has no licence file, and names nobody who has the copyright (MIT)',
    );
  });
});

describe('a bundled package', () => {
  const MANIFEST = { name: 'left', version: '1.0.0', license: 'MIT' };
  const SOURCE = 'node_modules/left/index.js';
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'starfold-licences-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }

  function textsWith(manifest: object, files: Readonly<Record<string, string>>): readonly string[] {
    write('node_modules/left/package.json', JSON.stringify(manifest));
    for (const [name, text] of Object.entries({ 'index.js': '', ...files }))
      write(`node_modules/left/${name}`, text);
    return bundledPackages(root, ['local/own.ts', SOURCE]).flatMap(({ texts }) => texts);
  }

  it('keeps its licence and its notices', () => {
    const files = { 'LICENSE.md': 'As you like.\r\n', NOTICE: 'By Ada.' };
    expect(textsWith(MANIFEST, files)).toEqual(['As you like.', 'By Ada.']);
  });

  it('has a licence beside its notices even if it brings only these', () => {
    const [licence, ...others] = textsWith({ ...MANIFEST, author: 'Ada' }, { NOTICE: 'By Ada.' });
    expect(licence).toContain('Permission is hereby granted');
    expect(others).toEqual(['By Ada.']);
  });

  it('names the copyrights of its bundled files before its author', () => {
    const source = '// Copyright 2008 Example Inc.  All rights reserved.\n/* no copyright here */';
    const [licence] = textsWith({ ...MANIFEST, author: { name: 'Ada' } }, { 'index.js': source });
    expect(licence).toMatch(
      /^Copyright 2008 Example Inc\. {2}All rights reserved\.\n\nMIT License/,
    );
  });

  it('is refused if it names no licence', () => {
    expect(() => textsWith({ name: 'left', version: '1.0.0' }, {})).toThrow(
      'left@1.0.0 names no licence in its package.json',
    );
  });
});

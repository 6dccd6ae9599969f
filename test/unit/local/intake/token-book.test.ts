import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IntakeError } from '#local/intake/intake-error.ts';
import { formerTokens, TOKEN_FAULTS, tokensFileFault } from '#local/intake/messages.ts';
import { openTokenBook } from '#local/intake/token-book.ts';
import { parseTokens } from '#local/intake/tokens-file.ts';
import { unreadableFile } from '#shared/adapters/http/messages.ts';
import { tokenOf, writeTokens } from '#test/fakes/token-file.ts';

const AT = { file: 'tokens.yaml', wds: 'wds1' };
const [A, B] = [tokenOf('a'), tokenOf('b')];

describe('a tokens file', () => {
  it('names the source that each token may report', () => {
    const text = `# of the shop\nwec/cluster1: ${A}\nwds/wds1: '${B}'\nwec/*: "${A}${B}"\n`;
    expect(parseTokens(AT, text)).toEqual([
      { source: { type: 'wec', name: 'cluster1' }, token: A },
      { source: { type: 'wds', name: 'wds1' }, token: B },
      { source: { type: 'wec', name: '*' }, token: `${A}${B}` },
    ]);
  });

  it.each([
    ['', TOKEN_FAULTS.noSource],
    ['{}', `tokens.yaml:1: ${TOKEN_FAULTS.noSource}`],
    [`- wec/a: ${A}`, `tokens.yaml:1: ${TOKEN_FAULTS.noSource}`],
    [`wec/a: ${A}\nwec/b: [`, `tokens.yaml:2: ${TOKEN_FAULTS.notYaml('BAD_INDENT')}`],
    [`wec/a: ${A}\nwec/a: ${B}`, `tokens.yaml:2: ${TOKEN_FAULTS.duplicate}`],
    [`wec/a: ${A}\nwec/b: ${A}`, `tokens.yaml:2: wec/b: ${TOKEN_FAULTS.shared('wec/a')}`],
    [`wec/a: ${A}\n\nwec/b: short`, `tokens.yaml:3: wec/b: ${TOKEN_FAULTS.badToken}`],
    [`wec/a: "${A} ${B}"`, `tokens.yaml:1: wec/a: ${TOKEN_FAULTS.badToken}`],
    ['wec/a: ""', `tokens.yaml:1: wec/a: ${TOKEN_FAULTS.noToken}`],
    [`wec/a: ${'1'.repeat(40)}`, `wec/a: ${TOKEN_FAULTS.tokenNotAString}`],
    ['wec/a:', `tokens.yaml:1: wec/a: ${TOKEN_FAULTS.noToken}`],
    [`wec/a: [${A}]`, `wec/a: ${TOKEN_FAULTS.tokenNotAString}`],
    [`cluster1: ${A}`, `tokens.yaml:1: ${TOKEN_FAULTS.notASource}`],
    [`its/a: ${A}`, `:1: ${TOKEN_FAULTS.notASource}`],
    [`wec/: ${A}`, `:1: ${TOKEN_FAULTS.notASource}`],
    [`wec/a/b: ${A}`, `:1: ${TOKEN_FAULTS.notASource}`],
    [`wec/a*: ${A}`, `:1: ${TOKEN_FAULTS.notASource}`],
    [`wds/*: ${A}`, `:1: ${TOKEN_FAULTS.notASource}`],
    [`fleet/*: ${A}`, `:1: ${TOKEN_FAULTS.notASource}`],
    [`wds/wds2: ${A}`, `wds/wds2: ${TOKEN_FAULTS.otherWds('wds1')}`],
    [`wec/a: ${A}\nfleet/a: ${B}`, `tokens.yaml:2: fleet/a: ${TOKEN_FAULTS.fleet}`],
    [`${A}: wec/a`, `tokens.yaml:1: ${TOKEN_FAULTS.notASource}`],
    [`${A}: wec/a\n${A}: wec/b`, `tokens.yaml:2: ${TOKEN_FAULTS.duplicate}`],
    [`wec/a: |${A}\n  ${B}`, `tokens.yaml:1: ${TOKEN_FAULTS.notYaml('UNEXPECTED_TOKEN')}`],
    [`wec/a: >${A}`, `tokens.yaml:1: ${TOKEN_FAULTS.notYaml('UNEXPECTED_TOKEN')}`],
    [`wec/a: *${A}`, `wec/a: ${TOKEN_FAULTS.tokenNotAString}`],
    [`wec/${A}/b: ${B}`, `:1: ${TOKEN_FAULTS.notASource}`],
    [`? [wec/a]\n: ${A}`, TOKEN_FAULTS.notAString],
  ])('is rejected with its place and the remedy: %j', (text, says) => {
    expect(() => parseTokens(AT, text)).toThrow(IntakeError);
    expect(() => parseTokens(AT, text)).toThrow(says);
    // The log must not contain a token.
    expect(() => parseTokens(AT, text)).not.toThrow(/token-of|11111/);
  });
});

describe('the tokens that count', () => {
  let folder: string;
  let file: string;
  let faults: (string | undefined)[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'starfold-tokens-'));
    file = join(folder, 'tokens.yaml');
    faults = [];
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const open = () => openTokenBook({ file, wds: 'wds1', onFault: (fault) => faults.push(fault) });

  it('are those of the present file', async () => {
    writeTokens(file, ['wec/a', 'wec/*']);
    const book = await open();
    expect(await book.sourceOf(tokenOf('wec/a'))).toEqual({ type: 'wec', name: 'a' });
    expect(await book.sourceOf(tokenOf('wec/*'))).toEqual({ type: 'wec', name: '*' });
    expect(await book.sourceOf(tokenOf('wec/b'))).toBeUndefined();
    expect(await book.sourceOf('')).toBeUndefined();
    expect(book.wecs()).toEqual(['a']);
    writeTokens(file, ['wec/b', 'wec/long-name']);
    expect(await book.sourceOf(tokenOf('wec/a'))).toBeUndefined();
    expect(await book.sourceOf(tokenOf('wec/b'))).toEqual({ type: 'wec', name: 'b' });
    expect(book.wecs()).toEqual(['b', 'long-name']);
    expect(faults).toEqual([]);
  });

  it('stay valid if the file becomes invalid, which is reported once, like its correction', async () => {
    writeTokens(file, ['wec/a']);
    const book = await open();
    const isKnown = async () => (await book.sourceOf(tokenOf('wec/a'))) !== undefined;
    writeFileSync(file, 'wec/a: short');
    expect([await isKnown(), await isKnown()]).toEqual([true, true]);
    expect(faults).toEqual([
      formerTokens(tokensFileFault(`${file}:1: wec/a`, TOKEN_FAULTS.badToken)),
    ]);
    rmSync(file);
    expect(await isKnown()).toBe(true);
    expect(faults.slice(1)).toEqual([
      formerTokens(tokensFileFault(file, unreadableFile('ENOENT'))),
    ]);
    writeTokens(file, ['wec/b', 'wec/c']);
    expect(await isKnown()).toBe(false);
    expect(faults.slice(2)).toEqual([undefined]);
  });

  it('are missing if the file is missing or invalid at first', async () => {
    await expect(open()).rejects.toThrow(tokensFileFault(file, unreadableFile('ENOENT')));
    writeFileSync(file, 'wec/a: short');
    await expect(open()).rejects.toThrow(IntakeError);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IntakeError } from '#local/intake/intake-error.ts';
import { openTokenBook } from '#local/intake/token-book.ts';
import { parseTokens } from '#local/intake/tokens-file.ts';
import { tokenOf, writeTokens } from '#test/fakes/token-file.ts';

const AT = { file: 'tokens.yaml', wds: 'wds1' };
const [A, B] = [tokenOf('a'), tokenOf('b')];

describe('a tokens file', () => {
  it('says whom each token speaks for', () => {
    const text = `# of the shop\nwec/cluster1: ${A}\nwds/wds1: '${B}'\nwec/*: "${A}${B}"\n`;
    expect(parseTokens(AT, text)).toEqual([
      { source: { type: 'wec', name: 'cluster1' }, token: A },
      { source: { type: 'wds', name: 'wds1' }, token: B },
      { source: { type: 'wec', name: '*' }, token: `${A}${B}` },
    ]);
  });

  it.each([
    ['', /tokens.yaml(:1)?: it names no source: write a line "wec\/NAME: TOKEN"/],
    ['{}', /tokens.yaml:1: it names no source/],
    [`- wec/a: ${A}`, /tokens.yaml:1: it names no source/],
    [`wec/a: ${A}\nwec/b: [`, /tokens.yaml:\d: it is no YAML \(\w+\): write a line/],
    [`wec/a: ${A}\nwec/a: ${B}`, /tokens.yaml:2: the name stands there a second time/],
    [`wec/a: ${A}\nwec/b: ${A}`, /tokens.yaml:2: wec\/b: it has the token of wec\/a/],
    [
      `wec/a: ${A}\n\nwec/b: short`,
      /tokens.yaml:3: wec\/b: its token cannot be used: .*32 characters/,
    ],
    [`wec/a: "${A} ${B}"`, /tokens.yaml:1: wec\/a: its token cannot be used: .*no spaces/],
    ['wec/a: ""', /tokens.yaml:1: wec\/a: it has no token: .*32 characters/],
    [`wec/a: ${'1'.repeat(40)}`, /wec\/a: its token is not a text: write it in quotes/],
    ['wec/a:', /tokens.yaml:1: wec\/a: it has no token: .*32 characters/],
    [`wec/a: [${A}]`, /wec\/a: its token is not a text/],
    [
      `cluster1: ${A}`,
      /tokens.yaml:1: the name is no source: write wec\/NAME, wds\/NAME or wec\/\*/,
    ],
    [`its/a: ${A}`, /:1: the name is no source/],
    [`wec/: ${A}`, /:1: the name is no source/],
    [`wec/a/b: ${A}`, /:1: the name is no source/],
    [`wec/a*: ${A}`, /:1: the name is no source/],
    [`wds/*: ${A}`, /:1: the name is no source/],
    [`fleet/*: ${A}`, /:1: the name is no source/],
    [`wds/wds2: ${A}`, /wds\/wds2: is not the WDS of this stack, wds\/wds1/],
    [
      `wec/a: ${A}\nfleet/a: ${B}`,
      /tokens.yaml:2: fleet\/a: is a management cluster of Fleet, which this stack watches itself/,
    ],
    [`${A}: wec/a`, /tokens.yaml:1: the name is no source/],
    [`${A}: wec/a\n${A}: wec/b`, /tokens.yaml:2: the name stands there a second time/],
    [`wec/a: |${A}\n  ${B}`, /tokens.yaml:1: it is no YAML \(UNEXPECTED_TOKEN\)/],
    [`wec/a: >${A}`, /tokens.yaml:1: it is no YAML/],
    [`wec/a: *${A}`, /wec\/a: its token is not a text/],
    [`wec/${A}/b: ${B}`, /:1: the name is no source/],
    [`? [wec/a]\n: ${A}`, /a name is not a text/],
  ])('is refused with its place and what to do: %j', (text, says) => {
    expect(() => parseTokens(AT, text)).toThrow(IntakeError);
    expect(() => parseTokens(AT, text)).toThrow(says);
    // Whoever reads the log is not to know a token.
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

  it('are those of the file as it is now', async () => {
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

  it('stay valid when the file goes bad, which is told once, and that it is mended', async () => {
    writeTokens(file, ['wec/a']);
    const book = await open();
    const isKnown = async () => (await book.sourceOf(tokenOf('wec/a'))) !== undefined;
    writeFileSync(file, 'wec/a: short');
    expect([await isKnown(), await isKnown()]).toEqual([true, true]);
    expect(faults).toEqual([expect.stringMatching(/:1: wec\/a: .*; until then the tokens before/)]);
    rmSync(file);
    expect(await isKnown()).toBe(true);
    expect(faults.slice(1)).toEqual([expect.stringMatching(/cannot be read \(ENOENT\)/)]);
    writeTokens(file, ['wec/b', 'wec/c']);
    expect(await isKnown()).toBe(false);
    expect(faults.slice(2)).toEqual([undefined]);
  });

  it('are none where the file is missing or bad at first', async () => {
    await expect(open()).rejects.toThrow(
      /tokens.yaml: it cannot be read \(ENOENT\): check the path/,
    );
    writeFileSync(file, 'wec/a: short');
    await expect(open()).rejects.toThrow(IntakeError);
  });
});

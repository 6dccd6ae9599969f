import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { prettyYaml } from '#local/cli/terminal/print.ts';
import type { JsonValue } from '#shared/core/json.ts';
import { KUBECTL_YAML } from '#shared/kubectl-yaml.ts';
import { anyCharacter } from '#test/any-character.ts';
import { YAML_WORDS } from './yaml-words.ts';

const text = fc.oneof(
  fc.constantFrom(...YAML_WORDS),
  fc.stringMatching(/^[-+]?[0-9oOxXbBeE._]{1,6}$/),
  fc.stringMatching(/^[-+]?[0-9_.]{1,4}[eE]?[-+]?[0-9_]{0,3}$/),
  fc.stringMatching(/^[-+]?_?0_?[xXoObB]?[-+]?[0-9a-f_]{1,4}$/),
  fc.string({ unit: fc.constantFrom('\t', '\n', ' ', 'a', ':', '\u0001'), maxLength: 60 }),
  fc.string({ unit: anyCharacter }),
);
const value = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(text, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

it('what is printed as YAML is read as the same', () => {
  fc.assert(
    fc.property(value, (json) => {
      expect(parse(prettyYaml(json), KUBECTL_YAML)).toEqual(json);
    }),
    { numRuns: 2_000 },
  );
});

it.each<[text: string, printed: string]>([
  [' a\nb', '" a\\nb"'],
  ['\ta\nb', '"\\ta\\nb"'],
  ['\t\n', '"\\t\\n"'],
  [' \n', '"\\ \\n"'],
  ['a\n\tb', '"a\\n\\tb"'],
  ['\na', '"\\na"'],
  [`\u0001${'a'.repeat(40)} \n \n b`, `"\\x01${'a'.repeat(40)}\\ \\n\\ \\n b"`],
  ['a\n b', '|-\n  a\n   b'],
])('%j is in quotes if kubectl misreads a block', (text, printed) => {
  expect(prettyYaml({ a: text })).toBe(`a: ${printed}\n`);
});

/** What kubectl's library (sigs.k8s.io/yaml v1.6.0) has read from plain texts. */
const recorded: readonly (readonly [text: string, value: unknown])[] = JSON.parse(
  readFileSync('test/fixtures/kubectl-yaml.json', 'utf8'),
);

it('texts without quotes are read as kubectl reads them, and printed in quotes if it reads another value', () => {
  for (const [text, value] of recorded) {
    expect(parse(`a: ${text}`, KUBECTL_YAML), text).toEqual({ a: value });
    if (value !== text) expect(prettyYaml({ a: text }), text).toBe(`a: "${text}"\n`);
  }
  // The table has many texts of both forms.
  const texts = recorded.filter(([text, value]) => text === value).length;
  expect([texts, recorded.length - texts].map((count) => count > 100)).toEqual([true, true]);
});

it.each(YAML_WORDS)('%j is read as the same, as a value and as a key', (word) => {
  const json = { [word]: word };
  expect(parse(prettyYaml(json), KUBECTL_YAML)).toEqual(json);
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { prettyYaml } from '#local/cli/print.ts';
import type { JsonValue } from '#shared/core/json.ts';
import { KUBECTL_YAML } from '#shared/kubectl-yaml.ts';
import { YAML_WORDS } from './yaml-words.ts';

const text = fc.oneof(
  fc.constantFrom(...YAML_WORDS),
  fc.stringMatching(/^[-+]?[0-9oOxXbBeE._]{1,6}$/),
  fc.string({ unit: 'binary' }),
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

it.each(YAML_WORDS)('%j is read as the same, as a value and as a key', (word) => {
  const json = { [word]: word };
  expect(parse(prettyYaml(json), KUBECTL_YAML)).toEqual(json);
});

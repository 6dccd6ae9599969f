import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonText } from '#shared/api/json-text.ts';
import { Float, type JsonValue, parseJson, stringifyJson } from '#shared/core/json.ts';

const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<JsonValue>(null, true, '', 'é"\\', -0, 0, 7, 1.5, 1e300, 2 ** 60),
    fc.constantFrom<JsonValue>(2n ** 60n, new Float(3), new Float(-0)),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { noNullPrototype: true }),
  ),
}));

it('the text of an answer is the value without loss, whatever its numbers', () => {
  fc.assert(
    fc.property(value, (one) => {
      expect(stringifyJson(parseJson(jsonText(one)))).toBe(stringifyJson(one));
    }),
    { numRuns: 2_000 },
  );
});

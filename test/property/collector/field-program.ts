import type { ExpressionValue, Program } from '#shared/core/expression/expression.ts';
import { Float, isArray, isObject, type JsonValue, member } from '#shared/core/json.ts';

/** What CEL makes of a JSON value. In memory a number may also be NaN or an infinity. */
export function expressionValue(value: JsonValue): ExpressionValue {
  if (value === null) return { type: 'null' };
  if (typeof value === 'boolean') return { type: 'bool', value };
  if (typeof value === 'string') return { type: 'string', value };
  if (typeof value === 'bigint') return { type: 'int', value };
  if (value instanceof Float) return { type: 'double', value: value.value };
  if (isArray(value)) return { type: 'list', value };
  if (isObject(value)) return { type: 'map', value };
  return Number.isInteger(value)
    ? { type: 'int', value: BigInt(value) }
    : { type: 'double', value };
}

/** The program `returned.status.<field>`: its value, or the error of a missing key. */
export function fieldProgram(field: string): Program {
  return {
    text: `returned.status.${field}`,
    type: 'dyn',
    variables: new Set(['returned']),
    facts: new Set(),
    leastSteps: { value: 1, failure: 1 },
    patternsSize: 0,
    bytes: 0,
    evaluate: ({ returned }) => {
      const value = member(returned, field);
      return value === undefined
        ? { ok: false, error: `no such key: ${field}` }
        : { ok: true, value: expressionValue(value) };
    },
  };
}

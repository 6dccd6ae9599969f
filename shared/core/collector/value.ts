import type { ExpressionValue } from '#shared/core/expression/expression.ts';
import { formatDouble } from '#shared/core/expression/number-format.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';

/**
 * One cell of a CombinedStatus (KubeStellar's `Value`). A number is a text in the member `float`: an integer in
 * decimal, a double formatted like Go's `%g` (docs/architecture.md, section 9.7).
 */
export type Value =
  | { readonly type: 'String'; readonly string: string }
  | { readonly type: 'Number'; readonly float: string }
  | { readonly type: 'Bool'; readonly bool: boolean }
  | { readonly type: 'Null' }
  | { readonly type: 'Object'; readonly object: JsonObject }
  | { readonly type: 'Array'; readonly array: readonly JsonValue[] };

/** The cell of a null. */
export const NULL_VALUE: Value = { type: 'Null' };

/** The cell for the value of an expression. Lists and maps are not copied. */
export function toValue(value: ExpressionValue): Value {
  switch (value.type) {
    case 'null':
      return NULL_VALUE;
    case 'bool':
      return { type: 'Bool', bool: value.value };
    case 'int':
      return { type: 'Number', float: String(value.value) };
    case 'double':
      return { type: 'Number', float: formatDouble(value.value) };
    case 'string':
      return { type: 'String', string: value.value };
    case 'list':
      return { type: 'Array', array: value.value };
    case 'map':
      return { type: 'Object', object: value.value };
  }
}

/** The cell of a double, formatted like Go's `%g`. */
export function doubleCell(value: number): Value {
  return { type: 'Number', float: formatDouble(value) };
}

import { check } from './check.ts';
import type { ExpressionError, Program } from './expression.ts';
import type { KindSchema } from './object-field.ts';
import { parse } from './parse.ts';
import { errorAt } from './syntax-fault.ts';

/**
 * Checks a valid expression with the schema of `obj` and, if it is known, of `returned` (docs/architecture.md, section
 * 9.15). Returns the errors that a check without a schema cannot find: fields that cannot exist, and uses that the
 * types of fields forbid. Nothing is known about a value inside `dyn(...)`. Each message is returned once, at its first
 * place.
 */
export function checkObject(
  { text, variables }: Pick<Program, 'text' | 'variables'>,
  schema: KindSchema,
): readonly ExpressionError[] {
  const isChecked =
    variables.has('obj') || (schema.returned !== undefined && variables.has('returned'));
  if (!isChecked) return [];
  const parsed = parse(text);
  if (!parsed.ok) return [parsed.error];
  const first = new Map<string, ExpressionError>();
  for (const { at, ...error } of check(parsed.node, schema).errors)
    if (!first.has(error.message)) first.set(error.message, errorAt(text, at, error));
  return [...first.values()];
}

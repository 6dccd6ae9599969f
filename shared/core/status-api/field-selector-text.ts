import type { FieldRequirement } from './selector.ts';

/** The requirements of a field selector, or its first error. A selector without requirements matches all objects. */
export type FieldSelectorReading =
  | { readonly ok: true; readonly requirements: readonly FieldRequirement[] }
  | { readonly ok: false; readonly fault: string };

/** A term ends at a comma that no backslash precedes. */
const TERM = /(?:\\.|[^\\,]|\\$)+/gs;
const PARTS = /^(.*?)(!=|==|=)(.*)$/s;
const ESCAPE = /\\(.?)/gs;

/** A value without its escapes, or the error. */
function withoutEscapes(escaped: string): { readonly value: string } | { readonly fault: string } {
  const unknown = [...escaped.matchAll(ESCAPE)].find(([, after = '']) => !/^[\\,=]$/.test(after));
  if (unknown !== undefined)
    return { fault: `invalid field selector: invalid escape sequence: ${unknown[0]}` };
  if (escaped.replaceAll(ESCAPE, '').includes('='))
    return { fault: 'invalid field selector: unescaped character in value: =' };
  return { value: escaped.replaceAll(ESCAPE, '$1') };
}

/** The requirement of a term, or an error. */
function requirementOf(
  term: string,
  selector: string,
  fields: readonly string[],
): FieldRequirement | string {
  const [, field, sign, escaped = ''] = PARTS.exec(term) ?? [];
  if (field === undefined) return `invalid selector: '${selector}'; can't understand '${term}'`;
  if (!fields.includes(field))
    return `field label not supported: ${field}: the fields are ${fields.join(', ')}`;
  const read = withoutEscapes(escaped);
  if ('fault' in read) return read.fault;
  return { field, operator: sign === '!=' ? '!=' : '=', value: read.value };
}

/**
 * Reads a field selector in the syntax of `kubectl --field-selector`: `a=b`, `a==b`, `a!=b`, joined by commas. A comma, an equals
 * sign or a backslash in a value follows a backslash (k8s.io/apimachinery, fields.ParseSelector). The errors have the words of
 * API servers.
 *
 * @param fields the fields that the resource supports
 */
export function parseFieldSelectorText(
  selector: string,
  fields: readonly string[],
): FieldSelectorReading {
  const requirements: FieldRequirement[] = [];
  for (const [term] of selector.matchAll(TERM)) {
    const requirement = requirementOf(term, selector, fields);
    if (typeof requirement === 'string') return { ok: false, fault: requirement };
    requirements.push(requirement);
  }
  return { ok: true, requirements };
}

/** The field selector that requires these values. {@link parseFieldSelectorText} reads it. */
export function fieldSelectorText(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([field, value]) => `${field}=${value.replaceAll(/[\\,=]/g, '\\$&')}`)
    .join(',');
}

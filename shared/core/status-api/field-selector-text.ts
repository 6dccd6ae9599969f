import {
  invalidEscape,
  neverValue,
  noRequirement,
  UNESCAPED_EQUALS,
  unknownSelectorField,
} from './messages.ts';
import type { FieldRequirement } from './selector.ts';

/** The requirements of a field selector, or its first error. A selector without requirements matches all objects. */
export type FieldSelectorReading =
  | { readonly ok: true; readonly requirements: readonly FieldRequirement[] }
  | { readonly ok: false; readonly fault: string };

/** The words that fields can have, by field. A field that is absent here can have any value. */
export type FieldWords = Readonly<Record<string, readonly string[]>>;

/** What a field selector may say of a resource. */
export interface SelectableFields {
  readonly fields: readonly string[];
  readonly words: FieldWords;
}

/** A term ends at a comma that no backslash precedes. */
const TERM = /(?:\\.|[^\\,]|\\$)+/gs;
const PARTS = /^(.*?)(!=|==|=)(.*)$/s;
const ESCAPE = /\\(.?)/gs;

/** A value without its escapes, or the error. */
function withoutEscapes(escaped: string): { readonly value: string } | { readonly fault: string } {
  const unknown = [...escaped.matchAll(ESCAPE)].find(([found]) => !/^\\[\\,=]$/.test(found));
  if (unknown !== undefined) return { fault: invalidEscape(unknown[0]) };
  if (escaped.replaceAll(ESCAPE, '').includes('=')) return { fault: UNESCAPED_EQUALS };
  return { value: escaped.replaceAll(ESCAPE, '$1') };
}

/** The error about a value that the field never has. `''` stands for a field that an object lacks. */
function wordFault(field: string, value: string, words: FieldWords): string | undefined {
  const known = Object.hasOwn(words, field) ? words[field] : undefined;
  if (value === '' || known === undefined || known.includes(value)) return undefined;
  return neverValue(field, value, known);
}

/** The requirement of a term, or an error. */
function requirementOf(
  term: string,
  selector: string,
  { fields, words }: SelectableFields,
): FieldRequirement | string {
  const [, field, sign, escaped = ''] = PARTS.exec(term) ?? [];
  if (field === undefined) return noRequirement(selector, term);
  if (!fields.includes(field)) return unknownSelectorField(field, fields);
  const read = withoutEscapes(escaped);
  if ('fault' in read) return read.fault;
  const fault = wordFault(field, read.value, words);
  if (fault !== undefined) return fault;
  return { field, operator: sign === '!=' ? '!=' : '=', value: read.value };
}

/**
 * Reads a field selector in the syntax of `kubectl --field-selector`: `a=b`, `a==b`, `a!=b`, joined by commas. A comma, an equals
 * sign or a backslash in a value follows a backslash (k8s.io/apimachinery, fields.ParseSelector). The errors have the words of
 * API servers. A value that its field never has is an error too, because the selector would select nothing without a word why.
 */
export function parseFieldSelectorText(
  selector: string,
  selectable: SelectableFields,
): FieldSelectorReading {
  const requirements: FieldRequirement[] = [];
  for (const [term] of selector.matchAll(TERM)) {
    const requirement = requirementOf(term, selector, selectable);
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

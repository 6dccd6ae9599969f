import { isArray, type JsonValue } from '#shared/core/json.ts';

/** A list that may be absent or null; anything else is told in `errors`. */
export function readList(
  value: JsonValue | undefined,
  path: string,
  errors: string[],
): readonly JsonValue[] {
  if (value === undefined || value === null) return [];
  if (isArray(value)) return value;
  errors.push(`${path}: must be a list`);
  return [];
}

/** A list of strings that may be absent or null; anything else is told in `errors`. */
export function readTexts(
  value: JsonValue | undefined,
  path: string,
  errors: string[],
): readonly string[] {
  const texts: string[] = [];
  for (const [index, text] of readList(value, path, errors).entries()) {
    if (typeof text === 'string') texts.push(text);
    else errors.push(`${path}[${index}]: must be a string; put it in quotes`);
  }
  return texts;
}

/** True or false, false where it is absent or null; anything else is told in `errors`. */
export function readFlag(value: JsonValue | undefined, path: string, errors: string[]): boolean {
  if (value === undefined || value === null || typeof value === 'boolean') return value === true;
  errors.push(`${path}: must be true or false`);
  return false;
}

/** A string that may be absent or null, which is `''`; anything else is told in `errors`. */
export function readText(value: JsonValue | undefined, path: string, errors: string[]): string {
  if (value === undefined || value === null || typeof value === 'string') return value ?? '';
  errors.push(`${path}: must be a string; put it in quotes`);
  return '';
}

import { isArray, type JsonValue } from '#shared/core/json.ts';

/** A list that may be absent or null. Any other value is reported in `errors`. */
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

/** The bound of a list. */
export interface ListLimit {
  readonly path: string;
  /** How many entries count. Further entries are ignored and reported. */
  readonly max: number;
  /** The remedy for a longer list. */
  readonly remedy: string;
}

/** The entries of a list that count. The list is read by {@link readList}. */
export function readBoundedList(
  value: JsonValue | undefined,
  { path, max, remedy }: ListLimit,
  errors: string[],
): readonly JsonValue[] {
  const list = readList(value, path, errors);
  if (list.length <= max) return list;
  errors.push(`${path}: has ${list.length} entries, and only the first ${max} count: ${remedy}`);
  return list.slice(0, max);
}

/** A list of strings that may be absent or null. Any other value is reported in `errors`. */
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

/** A boolean, false if it is absent or null. Any other value is reported in `errors`. */
export function readFlag(value: JsonValue | undefined, path: string, errors: string[]): boolean {
  if (value === undefined || value === null || typeof value === 'boolean') return value === true;
  errors.push(`${path}: must be true or false`);
  return false;
}

/** A string, `''` if it is absent or null. Any other value is reported in `errors`. */
export function readText(value: JsonValue | undefined, path: string, errors: string[]): string {
  if (value === undefined || value === null || typeof value === 'string') return value ?? '';
  errors.push(`${path}: must be a string; put it in quotes`);
  return '';
}

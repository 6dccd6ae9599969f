import { longList, NO_FLAG, NO_LIST, NO_QUOTES } from '#shared/core/field-messages.ts';
import { isArray, type JsonValue } from '#shared/core/json.ts';

/** A list that may be absent or null. Any other value is reported in `errors`. */
export function readList(
  value: JsonValue | undefined,
  path: string,
  errors: string[],
): readonly JsonValue[] {
  if (value === undefined || value === null) return [];
  if (isArray(value)) return value;
  errors.push(`${path}: ${NO_LIST}`);
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
  errors.push(`${path}: ${longList(list.length, max, remedy)}`);
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
    else errors.push(`${path}[${index}]: ${NO_QUOTES}`);
  }
  return texts;
}

/** A boolean, false if it is absent or null. Any other value is reported in `errors`. */
export function readFlag(value: JsonValue | undefined, path: string, errors: string[]): boolean {
  if (value === undefined || value === null || typeof value === 'boolean') return value === true;
  errors.push(`${path}: ${NO_FLAG}`);
  return false;
}

/** A string, `''` if it is absent or null. Any other value is reported in `errors`. */
export function readText(value: JsonValue | undefined, path: string, errors: string[]): string {
  if (value === undefined || value === null || typeof value === 'string') return value ?? '';
  errors.push(`${path}: ${NO_QUOTES}`);
  return '';
}

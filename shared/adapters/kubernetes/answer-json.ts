import {
  afterString,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '#shared/core/json.ts';
import { ApiUnavailableError } from '#shared/errors.ts';
import { AnswerTooLargeError } from './answer-body.ts';
import { unavailable } from './api-error.ts';
import { NOT_AN_OBJECT, notJson } from './messages.ts';

/** What API servers accept in an object (Go, `encoding/json`), and the levels of a list or of a line of a watch around it. */
const MAX_LEVELS = 10_000 + 10;

const QUOTE = 0x22;
const COMMA = 0x2c;

/** How many levels a character of JSON text begins or ends. */
function levelsOf(code: number): number {
  // [ and {, ] and }
  if (code === 0x5b || code === 0x7b) return 1;
  return code === 0x5d || code === 0x7d ? -1 : 0;
}

/** What the text of an answer exceeds. It is found before the text is parsed, because 4 MiB of brackets take a second to parse. */
function excessOf(text: string, maxValues: number): Error | undefined {
  let levels = 0;
  let values = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    const more = levelsOf(code);
    levels += more;
    if (more > 0 || code === COMMA) values += 1;
    if (levels > MAX_LEVELS) return new AnswerTooLargeError(`${MAX_LEVELS} levels`);
    if (values > maxValues) return new AnswerTooLargeError(`${maxValues} values`);
    at = code === QUOTE ? afterString(text, at + 1) : at + 1;
  }
  return undefined;
}

/**
 * Parses what an API server returned.
 *
 * @param what how an error calls it, such as `an answer`
 * @param maxValues the limit for commas and opening brackets. Default: no limit. A value takes up to 0.8 microseconds to parse.
 * @throws ApiUnavailableError if it is not JSON. If it has more values, or more levels than an API server returns, its cause is an
 * AnswerTooLargeError.
 */
export function parseAnswer(
  operation: string,
  text: string,
  { what = 'an answer', maxValues = Number.POSITIVE_INFINITY } = {},
): JsonValue {
  const excess = excessOf(text, maxValues);
  if (excess !== undefined) throw unavailable(operation, excess.message, excess);
  try {
    return parseJson(text);
  } catch (error) {
    throw unavailable(operation, notJson(what), error);
  }
}

/** Like {@link parseAnswer}. @throws ApiUnavailableError also if it is not a JSON object: then it does not come from an API server */
export function parseObject(
  operation: string,
  body: string,
  limits: { readonly maxValues?: number } = {},
): JsonObject {
  const value = parseAnswer(operation, body, limits);
  if (!isObject(value)) throw new ApiUnavailableError(operation, NOT_AN_OBJECT);
  return value;
}

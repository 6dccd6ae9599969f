import { type JsonObject, stringifyJson } from '#shared/core/json.ts';
import type { ApiAnswer } from './api-request.ts';
import type { StatusError } from './status-error.ts';

export const JSON_TYPE = 'application/json';

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

/** An answer that is one text. */
export function textAnswer(
  text: string,
  { code = 200, headers = {} }: Partial<Pick<ApiAnswer, 'code' | 'headers'>> = {},
): ApiAnswer {
  return {
    code,
    headers: { 'content-type': JSON_TYPE, ...headers },
    body: once(text),
    isStream: false,
  };
}

/** An answer that is one JSON object. */
export function jsonAnswer(body: JsonObject, headers: ApiAnswer['headers'] = {}): ApiAnswer {
  return textAnswer(stringifyJson(body), { headers });
}

/** An error as an answer. */
export function errorAnswer(error: StatusError): ApiAnswer {
  const { code, details } = error;
  const { retryAfterSeconds } = details;
  const headers: ApiAnswer['headers'] =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return textAnswer(stringifyJson(error.toStatus()), { code, headers });
}

/** Reads the first piece, so that an error before it becomes an answer of its own. */
export async function begun(body: AsyncGenerator<string>): Promise<AsyncIterable<string>> {
  const first = await body.next();
  return (async function* () {
    if (first.done !== true) yield first.value;
    yield* body;
  })();
}

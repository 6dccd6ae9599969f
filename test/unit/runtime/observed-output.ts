import { PassThrough } from 'node:stream';
import { type JsonObject, parseJson } from '#shared/core/json.ts';
import type { Observability } from '#shared/runtime/batch.ts';
import { createObservability } from '#shared/runtime/observability.ts';

/** Powertools' logger and metrics, with what they wrote. */
export interface ObservedOutput {
  readonly observability: Observability;
  /** Log lines and metrics, in order. */
  lines(): readonly JsonObject[];
}

/** Logs and metrics of a function, kept in memory. */
export function createObservedOutput(
  of: { readonly service?: string; readonly stage?: string } = {},
): ObservedOutput {
  const stream = new PassThrough();
  const observability = createObservability({ service: 'test', logLevel: 'INFO', stream, ...of });
  let written = '';
  return {
    observability,
    lines() {
      written += stream.read()?.toString() ?? '';
      // Powertools writes one JSON object a line.
      return written
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => parseJson(line) as JsonObject);
    },
  };
}

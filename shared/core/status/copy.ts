import type { Fold } from '#shared/core/fold/fold.ts';
import { isArray, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { withTranslatedGeneration } from '#shared/core/observed-generation.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import type { GenerationTranslator } from './source-generation.ts';

/** The status of one WEC, or null if it has returned none. Plain JSON. */
export type CopyPart = { readonly wec: string; readonly status: JsonObject } | null;

type Translate = (observed: number) => number;

function translated(status: JsonObject, translate: Translate): JsonObject {
  const { conditions } = status;
  if (!isArray(conditions)) return withTranslatedGeneration(status, translate);
  const inWdsNumbers = conditions.map(
    (entry): JsonValue => (isObject(entry) ? withTranslatedGeneration(entry, translate) : entry),
  );
  return { ...withTranslatedGeneration(status, translate), conditions: inWdsNumbers };
}

/**
 * Singleton status: the status of the only qualified WEC, verbatim (docs/architecture.md, section 9.5). If the WEC has
 * returned nothing or null, the result is undefined. If there are several rows, which no decision requests, the first
 * by WEC name counts.
 *
 * @param generations if given, `observedGeneration` of the status and of each condition is translated to the WDS's
 *   numbers, in the type that it has, and nothing else is changed
 */
export function copyStatusFold(
  generations?: GenerationTranslator,
): Fold<PerWecRow, CopyPart, JsonObject | undefined> {
  return {
    empty: null,
    lift({ wec, row }) {
      const status = row?.status;
      if (row === undefined || !isObject(status)) return null;
      if (generations === undefined) return { wec, status };
      const translate: Translate = (observed) => generations.translate(row, observed).translated;
      return { wec, status: translated(status, translate) };
    },
    merge(a, b) {
      if (a === null || b === null) return a ?? b;
      return b.wec < a.wec ? b : a;
    },
    finish: (part) => part?.status,
  };
}

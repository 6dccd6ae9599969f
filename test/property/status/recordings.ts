import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { isObject, type JsonObject, type JsonValue, parseJson } from '#shared/core/json.ts';

/** One watch event of a recording; see test/fixtures/recordings. */
export interface RecordedEvent {
  readonly cluster: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: JsonObject;
}

function fixture(path: string): string {
  return readFileSync(new URL(`../../fixtures/recordings/${path}`, import.meta.url), 'utf8');
}

/** The events of a recording about one kind of object, in the order of receipt. */
export function recordedEvents(scenario: string, kind: string): readonly RecordedEvent[] {
  const lines = fixture(`${scenario}.jsonl`).trimEnd().split('\n');
  // The files hold such events only.
  const events = lines.map((line) => parseJson(line) as unknown as RecordedEvent);
  return events.filter(({ object }) => object['kind'] === kind);
}

/** What was applied in a step of a scenario (from 1), of one kind. */
export function appliedObject(
  scenario: string,
  { step, kind }: { readonly step: number; readonly kind: string },
): JsonObject {
  const suffix = step === 1 ? '' : `.step${step}`;
  const documents = fixture(`manifests/${scenario}${suffix}.yaml`).split(/^---$/m);
  const objects = documents.map((document): JsonValue => parse(document));
  const found = objects.filter(isObject).find((object) => object['kind'] === kind);
  if (found === undefined) throw new Error(`no ${kind} in step ${step} of ${scenario}`);
  return found;
}

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { at, isObject, type JsonObject, type JsonValue, parseJson } from '#shared/core/json.ts';
import type { WorkloadObject } from '#shared/core/row.ts';

/** One watch event of a recording; see test/fixtures/recordings. */
export interface RecordedEvent {
  readonly cluster: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: JsonObject;
}

/** One workload object of a recording, in its three clusters and as it was applied. */
export interface RecordedObject {
  /** Scenario, kind and name. */
  readonly title: string;
  /** In the order of receipt. */
  readonly events: readonly RecordedEvent[];
  /** The WDS's object in each step of the scenario; its generation is the step's number, where its kind has one. */
  readonly workloads: readonly WorkloadObject[];
}

const FOLDER = new URL('../../fixtures/recordings/', import.meta.url);

function eventsOf(scenario: string): readonly RecordedEvent[] {
  const lines = readFileSync(new URL(`${scenario}.jsonl`, FOLDER), 'utf8')
    .trimEnd()
    .split('\n');
  // The files hold such events only.
  return lines.map((line) => parseJson(line) as unknown as RecordedEvent);
}

/** What was applied in each step of a scenario, from the first. */
function stepsOf(scenario: string): readonly (readonly JsonObject[])[] {
  const steps: JsonObject[][] = [];
  for (let step = 1; ; step += 1) {
    const suffix = step === 1 ? '' : `.step${step}`;
    const file = new URL(`manifests/${scenario}${suffix}.yaml`, FOLDER);
    if (!existsSync(file)) return steps;
    const documents = readFileSync(file, 'utf8').split(/^---$/m);
    steps.push(documents.map((document): JsonValue => parse(document)).filter(isObject));
  }
}

function titleOf(object: JsonObject): string {
  return `${object['kind']} ${at(object, 'metadata', 'name')}`;
}

/** What the WDS's API server fills in and Argo CD reads. */
function defaulted({ kind, spec }: JsonObject): JsonObject {
  return kind === 'Pod' && isObject(spec) ? { spec: { restartPolicy: 'Always', ...spec } } : {};
}

function workloadsOf(
  recorded: JsonObject,
  steps: readonly (readonly JsonObject[])[],
): readonly WorkloadObject[] {
  const hasGeneration = at(recorded, 'metadata', 'generation') !== undefined;
  const name = at(recorded, 'metadata', 'name') ?? null;
  return steps.flatMap((objects, index) => {
    const applied = objects.find((object) => titleOf(object) === titleOf(recorded));
    if (applied === undefined) return [];
    const metadata = { name, ...(hasGeneration ? { generation: index + 1 } : {}) };
    const { apiVersion, kind } = applied;
    const spec = defaulted(applied);
    return [{ ...applied, apiVersion: String(apiVersion), kind: String(kind), metadata, ...spec }];
  });
}

/** The events of a recording about one kind of object, in the order of receipt. */
export function recordedEvents(scenario: string, kind: string): readonly RecordedEvent[] {
  return eventsOf(scenario).filter(({ object }) => object['kind'] === kind);
}

/** What was applied in a step of a scenario (from 1), of one kind. */
export function appliedObject(
  scenario: string,
  { step, kind }: { readonly step: number; readonly kind: string },
): JsonObject {
  const found = stepsOf(scenario)[step - 1]?.find((object) => object['kind'] === kind);
  if (found === undefined) throw new Error(`no ${kind} in step ${step} of ${scenario}`);
  return found;
}

/** All objects of all recordings. */
export function recordedObjects(): readonly RecordedObject[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.jsonl'));
  return files.sort().flatMap((file) => {
    const scenario = file.slice(0, -'.jsonl'.length);
    const steps = stepsOf(scenario);
    const byTitle = Map.groupBy(eventsOf(scenario), ({ object }) => titleOf(object));
    return [...byTitle].map(([title, events]) => {
      const [first] = events;
      const workloads = workloadsOf(first?.object ?? {}, steps);
      return { title: `${scenario}: ${title}`, events, workloads };
    });
  });
}

import { createBuiltInSchemas } from '#shared/adapters/kubernetes/built-in-schemas.ts';
import { collectorFold } from '#shared/core/collector/collector-fold.ts';
import type { CollectorResult } from '#shared/core/collector/collector-result.ts';
import type { CompiledCollector } from '#shared/core/collector/compiled-collector.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  stringifyJson,
} from '#shared/core/json.ts';
import { kindPlural } from '#shared/core/schema/kind-plural.ts';
import { collectorSchemaErrors } from '#shared/core/schema/schema-errors.ts';
import { recordedObjects } from '#test/property/status/recordings.ts';
import type { CollectorFile } from './collector-examples.ts';

const SCHEMAS = createBuiltInSchemas();

/** What the Kubernetes API requires of an entry of a list, and what is therefore never missing. */
const REQUIRED =
  /\.(?:conditions\[\]\.(?:type|status)|(?:containerStatuses|initContainerStatuses)\[\]\.(?:name|restartCount))$/;

/** A value of which something is missing. */
interface Partial {
  /** What is missing, such as `.conditions[].reason`. */
  readonly missing: string;
  readonly value: JsonValue;
}

function withoutEntries(list: readonly JsonValue[], path: string): readonly Partial[] {
  return [
    { missing: `${path}[]`, value: [] },
    ...list.flatMap((entry, index) =>
      partials(entry, `${path}[]`).map(({ missing, value }) => ({
        missing,
        value: list.with(index, value),
      })),
    ),
  ];
}

/** The value as often as it has optional members at any depth, each time without one of them. */
export function partials(value: JsonValue, path = ''): readonly Partial[] {
  if (isArray(value)) return withoutEntries(value, path);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const { [name]: _missing, ...others } = value;
    const at = `${path}.${name}`;
    const within = partials(inner, at).map((partial) => ({
      ...partial,
      value: { ...others, [name]: partial.value },
    }));
    return REQUIRED.test(at) ? within : [{ missing: at, value: others }, ...within];
  });
}

/** What recordings do not show, by kind. */
const UNRECORDED: Readonly<Record<string, readonly JsonObject[]>> = {
  Pod: [
    {
      phase: 'Pending',
      initContainerStatuses: [
        { name: 'i', restartCount: 2, state: { waiting: { reason: 'Error', message: 'm' } } },
      ],
      containerStatuses: [
        { name: 'c', restartCount: 0, state: { waiting: { reason: 'PodInitializing' } } },
      ],
    },
  ],
  Service: [{ loadBalancer: { ingress: [{ hostname: 'lb.example.com', ports: [{ port: 80 }] }] } }],
  CronJob: [
    {
      active: [{ name: 'j' }],
      lastScheduleTime: '2026-11-21T09:13:00Z',
      lastSuccessfulTime: '2026-11-21T09:12:00Z',
    },
  ],
};

function distinct<T extends JsonValue>(values: readonly T[]): readonly T[] {
  return [...new Map(values.map((value) => [stringifyJson(value), value])).values()];
}

/** The different specs of the WDS and statuses of the WECs that there are of a kind. */
export interface KindSamples {
  readonly kind: string;
  readonly objects: readonly JsonObject[];
  readonly statuses: readonly JsonObject[];
}

/** All kinds of the recordings. */
export function recordedKinds(): readonly KindSamples[] {
  const byKind = Map.groupBy(recordedObjects(), ({ events }) => String(events[0]?.object['kind']));
  return [...byKind].map(([kind, recorded]) => {
    const objects = recorded.flatMap(({ workloads }) => workloads);
    const statuses = recorded.flatMap(({ events }) =>
      events.map(({ object }) => object['status'] ?? {}).filter(isObject),
    );
    return {
      kind,
      objects: distinct(objects),
      statuses: distinct([...statuses, ...(UNRECORDED[kind] ?? [])]),
    };
  });
}

/** Whether the comment of a collector says that it is for a kind. */
export function isFor({ comment }: CollectorFile, kind: string): boolean {
  const [head = ''] = comment.split(':');
  if (head.includes('any kind')) return true;
  return new RegExp(`\\b${kind}(?:s|es)?\\b`).test(head);
}

function compiled({ object }: CollectorFile): CompiledCollector {
  const compilation = compileStatusCollector(member(object, 'spec'));
  if (!compilation.ok) throw new Error(compilation.errors.join('\n'));
  return compilation.collector;
}

/** What a collector asks of `obj` that a kind of Kubernetes does not have. */
export async function schemaErrors(
  collector: CollectorFile,
  { kind, objects }: KindSamples,
): Promise<readonly string[]> {
  const apiVersion = String(objects[0]?.['apiVersion']);
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const schema = await SCHEMAS.find({ group, version, resource: kindPlural(group, kind) });
  return schema === undefined ? [] : collectorSchemaErrors(compiled(collector), schema);
}

/** Makes a result of an object of the WDS and the statuses that WECs have returned. */
type Evaluate = (obj: JsonObject, statuses: readonly JsonObject[]) => CollectorResult;

/** What a collector makes of objects and statuses. */
export function evaluating(collector: CollectorFile): Evaluate {
  const fold = collectorFold(compiled(collector));
  return (obj, statuses) => {
    const rows = statuses.map((returned, index) => {
      const wec = `wec${index + 1}`;
      const inventory = { name: wec, labels: {}, annotations: {} };
      const propagation = { stale: false, silent: false };
      return { wec, activation: { inventory, obj, returned, propagation } };
    });
    return fold.finish(foldRows(fold, rows));
  };
}

/** All errors of a result, as texts. */
export function errorsIn({ rowErrors, aggregationErrors }: CollectorResult): readonly string[] {
  return [...rowErrors, ...aggregationErrors].map(({ error }) => error);
}

/** What goes wrong in a collector with an object of the WDS and each status of which something is missing. */
export function statusErrors(collector: CollectorFile, samples: KindSamples): readonly string[] {
  const evaluate = evaluating(collector);
  const [obj = {}] = samples.objects;
  return samples.statuses
    .flatMap((status) => partials(status))
    .flatMap(({ missing, value }) => {
      const errors = errorsIn(evaluate(obj, [isObject(value) ? value : {}]));
      return errors.map((error) => `${samples.kind} without status${missing}: ${error}`);
    });
}

/** What goes wrong in a collector with each object of the WDS of whose spec something is missing. */
export function specErrors(collector: CollectorFile, samples: KindSamples): readonly string[] {
  const evaluate = evaluating(collector);
  const statuses = samples.statuses.slice(-3);
  return samples.objects.flatMap((obj) =>
    partials(obj['spec'] ?? {}).flatMap(({ missing, value }) => {
      const errors = errorsIn(evaluate({ ...obj, spec: value }, statuses));
      return errors.map((error) => `${samples.kind} without spec${missing}: ${error}`);
    }),
  );
}

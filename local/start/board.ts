import { type BoundObject, parseBinding } from '#shared/core/binding/binding.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { ArgoCdVerdict } from '#shared/core/health/verdict.ts';
import {
  at,
  isArray,
  type JsonObject,
  type JsonValue,
  member,
  stringifyJson,
} from '#shared/core/json.ts';
import { observedGeneration } from '#shared/core/observed-generation.ts';
import { plainText } from '#shared/core/plain-text.ts';
import { objectKey } from '#shared/core/workload.ts';
import type { StatusWorld } from './expected.ts';
import { type ClusterObjects, CONTROL } from './observation.ts';
import type { Sight } from './sight.ts';

/** The state of a workload object in one cluster. Counts are texts, `-` if the kind has none. */
export interface BoardRow {
  readonly cluster: string;
  readonly isWds: boolean;
  /** How well the objects of the cluster are seen. */
  readonly sight: Sight;
  /** `false` if the cluster does not have the object, or if it has not been seen. `sight` says which. */
  readonly present: boolean;
  readonly ready: string;
  readonly updated: string;
  readonly available: string;
  /** Observed generation and generation. */
  readonly seen: string;
  readonly health: ArgoCdVerdict | null;
}

/** One result of a CombinedStatus. */
export interface BoardTable {
  readonly collector: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** How many errors it contains. */
  readonly errors: number;
}

/** A workload object: its state in each WEC and in the WDS, and the results of the collectors. */
export interface BoardWorkload {
  readonly name: string;
  /** WECs by name, the WDS last. */
  readonly rows: readonly BoardRow[];
  readonly tables: readonly BoardTable[];
}

const ABSENT = '-';

function countOf(object: JsonObject, ...keys: readonly string[]): string {
  const status = member(object, 'status');
  const found = keys.map((key) => member(status, key)).find((value) => typeof value === 'number');
  return String(found ?? 0);
}

/** The number of wanted replicas, or `undefined` for a kind without replicas. */
function wantedOf(object: JsonObject): number | undefined {
  const found = at(object, 'status', 'desiredNumberScheduled') ?? at(object, 'spec', 'replicas');
  return typeof found === 'number' ? found : undefined;
}

function seenOf(object: JsonObject): string {
  const generation = at(object, 'metadata', 'generation');
  const observed = observedGeneration(member(object, 'status'));
  return `${observed ?? ABSENT}/${typeof generation === 'number' ? generation : ABSENT}`;
}

function rowOf(
  { cluster, isWds, sight }: Pick<BoardRow, 'cluster' | 'isWds' | 'sight'>,
  object: JsonObject | undefined,
): BoardRow {
  const base = { cluster, isWds, sight, present: object !== undefined };
  const nothing = { ready: ABSENT, updated: ABSENT, available: ABSENT };
  if (object === undefined) return { ...base, ...nothing, seen: ABSENT, health: null };
  const wanted = wantedOf(object);
  const counts =
    wanted === undefined
      ? nothing
      : {
          ready: `${countOf(object, 'readyReplicas', 'numberReady')}/${wanted}`,
          updated: countOf(object, 'updatedReplicas', 'updatedNumberScheduled'),
          available: countOf(object, 'availableReplicas', 'numberAvailable'),
        };
  return { ...base, ...counts, seen: seenOf(object), health: plainVerdict(assessArgoCd(object)) };
}

/** A verdict as it is shown. Its message may be a text of the object. */
function plainVerdict(verdict: ArgoCdVerdict | null): ArgoCdVerdict | null {
  if (verdict?.message === undefined) return verdict;
  return { ...verdict, message: plainText(verdict.message) };
}

function cellText(value: JsonValue): string {
  const entry = Object.entries(value ?? {}).find(([key]) => key !== 'type');
  if (entry === undefined) return 'null';
  return plainText(typeof entry[1] === 'string' ? entry[1] : stringifyJson(entry[1]));
}

function list(value: JsonValue | undefined): readonly JsonValue[] {
  return isArray(value) ? value : [];
}

function tableOf(result: JsonValue): BoardTable {
  return {
    collector: plainText(String(member(result, 'name'))),
    columns: list(member(result, 'columnNames')).map((name) => plainText(String(name))),
    rows: list(member(result, 'rows')).map((row) => list(member(row, 'columns')).map(cellText)),
    errors:
      list(member(result, 'rowErrors')).length + list(member(result, 'aggregationErrors')).length,
  };
}

/** What one or several Bindings request for one workload object. */
export interface ShownWorkload {
  readonly bound: BoundObject;
  /** The Bindings that name it. */
  readonly bindings: readonly JsonObject[];
  readonly destinations: readonly string[];
}

/** What a Binding requests, by the key of the object. */
interface Requested {
  readonly objects: ReadonlyMap<string, BoundObject>;
  readonly destinations: readonly string[];
}

/** Parsed once for each state of a Binding: each change of one asks for all of them. */
const parsed = new WeakMap<JsonObject, Requested>();

function requestedBy(binding: JsonObject): Requested {
  const known = parsed.get(binding);
  if (known !== undefined) return known;
  const { objects, destinations } = parseBinding(binding);
  const asking = objects.filter(({ modulation }) => {
    const { statusCollectors, wantMultiWECReportedState, wantSingletonReportedState } = modulation;
    return wantMultiWECReportedState || wantSingletonReportedState || statusCollectors.length > 0;
  });
  const requested = {
    objects: new Map(asking.map((bound) => [objectKey(bound), bound])),
    destinations,
  };
  parsed.set(binding, requested);
  return requested;
}

/** The first workload objects whose status Bindings request, sorted. */
export function shownWorkloads(
  bindings: Iterable<JsonObject>,
  count: number,
): readonly ShownWorkload[] {
  const naming = new Map<string, JsonObject[]>();
  for (const binding of bindings) {
    for (const key of requestedBy(binding).objects.keys()) {
      const own = naming.get(key);
      if (own === undefined) naming.set(key, [binding]);
      else own.push(binding);
    }
  }
  return [...naming.keys()]
    .sort()
    .slice(0, count)
    .flatMap((key) => {
      const own = naming.get(key) ?? [];
      const bound = own.map((binding) => requestedBy(binding).objects.get(key)).at(-1);
      if (bound === undefined) return [];
      const destinations = new Set(own.flatMap((binding) => requestedBy(binding).destinations));
      return [{ bound, bindings: own, destinations: [...destinations].sort() }];
    });
}

/** Everything that the `.status` of one workload object depends on, or `undefined` if the WDS does not have the object. */
export function worldOf(
  clusters: ClusterObjects,
  { bound, bindings, destinations }: ShownWorkload,
): StatusWorld | undefined {
  const { wds } = clusters;
  const key = `${bound.namespace}/${bound.name}`;
  const object = clusters.objects(wds, bound).get(key);
  if (object === undefined) return undefined;
  const { group, resource, namespace, name } = bound;
  const inWecs = new Map<string, JsonObject>();
  for (const wec of destinations) {
    const found = clusters.objects(wec, bound).get(key);
    if (found !== undefined) inWecs.set(wec, found);
  }
  return {
    ref: { wds, group, resource, namespace, name },
    object,
    bindings,
    inWecs,
  };
}

function tablesOf(clusters: ClusterObjects, { bound }: ShownWorkload): readonly BoardTable[] {
  const key = `${bound.namespace}/${bound.name}`;
  const uid = at(clusters.objects(clusters.wds, bound).get(key), 'metadata', 'uid');
  if (typeof uid !== 'string') return [];
  return [...clusters.objects(clusters.wds, CONTROL.combinedStatuses).values()]
    .filter((one) => String(at(one, 'metadata', 'name')).startsWith(`${uid}.`))
    .flatMap((one) => list(member(one, 'results')).map(tableOf));
}

/** A workload object as it is shown. */
export function boardOf(clusters: ClusterObjects, shown: ShownWorkload): BoardWorkload {
  const { bound, destinations } = shown;
  const key = `${bound.namespace}/${bound.name}`;
  const row = (cluster: string): BoardRow => {
    const isWds = cluster === clusters.wds;
    const sight = clusters.sight(cluster, bound);
    return rowOf(
      { cluster: plainText(cluster), isWds, sight },
      clusters.objects(cluster, bound).get(key),
    );
  };
  const kind = bound.group === '' ? bound.resource : `${bound.resource}.${bound.group}`;
  const title = bound.namespace === '' ? bound.name : key;
  return {
    name: plainText(`${kind} ${title}`),
    rows: [...destinations, clusters.wds].map(row),
    tables: tablesOf(clusters, shown),
  };
}

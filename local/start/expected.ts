import { contentHash } from '#shared/content-hash.ts';
import { parseBinding } from '#shared/core/binding/binding.ts';
import { createDestinations } from '#shared/core/binding/destinations.ts';
import { oldestBindings } from '#shared/core/binding/oldest-bindings.ts';
import type { CompiledCollector } from '#shared/core/collector/compiled-collector.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import { createCompiler } from '#shared/core/expression/compile.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import {
  at,
  equalJson,
  type JsonObject,
  type JsonValue,
  member,
  stringifyJson,
} from '#shared/core/json.ts';
import { OWNED_LABELS, REPORT_NAMESPACE } from '#shared/core/kubestellar.ts';
import { createdOf, workloadContent } from '#shared/core/metadata.ts';
import { returnedObject } from '#shared/core/returned-object.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { writableStatus } from '#shared/core/status/writable-status.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';
import { createWorkloadFold, type DesiredWorkload } from '#shared/core/workload-fold.ts';
import type { WorkloadMembership } from '#shared/core/workload-inputs.ts';

/** One workload object and everything that its results follow from, as the API servers have it. */
export interface WorkloadWorld {
  readonly ref: WorkloadRef;
  /** The object in the WDS. */
  readonly object: JsonObject;
  /** The WDS's Bindings, StatusCollectors and CombinedStatuses. */
  readonly bindings: readonly JsonObject[];
  readonly collectors: readonly JsonObject[];
  readonly combinedStatuses: readonly JsonObject[];
  /** The object in the WECs that have it, by WEC. */
  readonly inWecs: ReadonlyMap<string, JsonObject>;
}

const compileText = createCompiler();

function nameOf(object: JsonObject): string {
  return String(at(object, 'metadata', 'name') ?? '');
}

function membershipsOf({ ref, bindings }: WorkloadWorld): readonly WorkloadMembership[] {
  const memberships = bindings.flatMap((object): readonly WorkloadMembership[] => {
    const { destinations, objects } = parseBinding(object);
    const bound = objects.find(
      ({ group, resource, namespace, name }) =>
        group === ref.group &&
        resource === ref.resource &&
        namespace === ref.namespace &&
        name === ref.name,
    );
    if (bound === undefined) return [];
    const created = createdOf(object);
    return [
      {
        ...(created === '' ? {} : { created }),
        binding: nameOf(object),
        bindingUid: String(at(object, 'metadata', 'uid') ?? ''),
        version: bound.version,
        modulation: bound.modulation,
        destinations: createDestinations(nameOf(object), destinations),
      },
    ];
  });
  return oldestBindings(memberships.sort((a, b) => (a.binding < b.binding ? -1 : 1))).counted;
}

function compiled(collectors: readonly JsonObject[]): ReadonlyMap<string, CompiledCollector> {
  const valid = new Map<string, CompiledCollector>();
  for (const object of collectors) {
    const compilation = compileStatusCollector(member(object, 'spec'), compileText);
    if (compilation.ok) valid.set(nameOf(object), compilation.collector);
  }
  return valid;
}

function rowOf(wec: string, object: JsonObject | undefined, specs: Map<string, JsonValue>) {
  if (object === undefined) return { wec };
  const { spec, ...returned } = returnedObject(object);
  if (spec === undefined) return { wec, row: { wec, ...returned } };
  const specHash = contentHash(stringifyJson(spec));
  specs.set(specHash, spec);
  return { wec, row: { wec, ...returned, specHash } };
}

/** What a fresh fold of the clusters as they stand gives: no queue, no store, no history. */
export function expectedOf(world: WorkloadWorld): DesiredWorkload {
  const memberships = membershipsOf(world);
  const wecs = new Set(memberships.flatMap(({ destinations }) => destinations.names));
  const specs = new Map<string, JsonValue>();
  const rows = [...wecs].map((wec): PerWecRow => rowOf(wec, world.inWecs.get(wec), specs));
  const fold = createWorkloadFold({
    ref: world.ref,
    // An API server's objects have apiVersion, kind and metadata.
    object: workloadContent(world.object) as WorkloadObject,
    memberships,
    collectors: compiled(world.collectors),
    specs,
    // Which WECs are silent is not known here: in the demo none is. Elsewhere, while one is, collectors that ask for
    // `propagation.stale` say something else than this; it only keeps the monitor from measuring a latency.
  });
  return fold.finish(foldRows(fold, rows)).desired;
}

function difference(what: string, is: JsonValue | undefined, wanted: JsonValue | undefined) {
  return equalJson(is, wanted)
    ? []
    : [`${what}: the WDS says ${stringifyJson(is)}, it should say ${stringifyJson(wanted)}`];
}

function objectDifferences({ object }: WorkloadWorld, { status }: DesiredWorkload): string[] {
  if (status.type === 'untouched') return [];
  const labels = OWNED_LABELS.flatMap((key) => {
    const is = at(object, 'metadata', 'labels', key) ?? null;
    return difference(`label ${key}`, is, status.labels[key] ?? null);
  });
  if (status.type === 'none') return labels;
  const stored = member(object, 'status');
  const wanted = writableStatus(object, status.status, stored).status;
  return [...labels, ...difference('status', stored, wanted)];
}

function isOf({ ref, object }: WorkloadWorld, combinedStatus: JsonObject): boolean {
  const uid = String(at(object, 'metadata', 'uid'));
  const namespace = ref.namespace === '' ? REPORT_NAMESPACE : ref.namespace;
  return (
    nameOf(combinedStatus).startsWith(`${uid}.`) &&
    at(combinedStatus, 'metadata', 'namespace') === namespace
  );
}

function shown(object: JsonObject | undefined): JsonValue | undefined {
  if (object === undefined) return undefined;
  return {
    labels: at(object, 'metadata', 'labels') ?? null,
    ownerReferences: at(object, 'metadata', 'ownerReferences') ?? null,
    results: member(object, 'results') ?? null,
  };
}

function combinedStatusDifferences(world: WorkloadWorld, desired: DesiredWorkload): string[] {
  const standing = new Map(
    world.combinedStatuses.filter((one) => isOf(world, one)).map((one) => [nameOf(one), one]),
  );
  const wanted = new Map(desired.combinedStatuses.map(({ name, object }) => [name, object]));
  return [...new Set([...standing.keys(), ...wanted.keys()])].flatMap((name) =>
    difference(`CombinedStatus ${name}`, shown(standing.get(name)), shown(wanted.get(name))),
  );
}

/** Where the WDS does not say of a workload object what a fresh fold gives; empty where it does. */
export function differencesOf(world: WorkloadWorld): readonly string[] {
  const desired = expectedOf(world);
  return [...objectDifferences(world, desired), ...combinedStatusDifferences(world, desired)];
}

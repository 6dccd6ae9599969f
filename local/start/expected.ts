import { contentHash } from '#shared/content-hash.ts';
import { desiredWorkload } from '#shared/core/desired/desired-state.ts';
import { type ControlObject, readMembership } from '#shared/core/desired/membership.ts';
import type { DesiredWorkload } from '#shared/core/desired/workload-fold.ts';
import { createCompiler } from '#shared/core/expression/compile.ts';
import {
  at,
  equalJson,
  type JsonObject,
  type JsonValue,
  member,
  stringifyJson,
} from '#shared/core/json.ts';
import { OWNED_LABELS, REPORT_NAMESPACE } from '#shared/core/kubestellar.ts';
import { uidOf } from '#shared/core/metadata.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import { returnedObject } from '#shared/core/status/returned-object.ts';
import { writableStatus } from '#shared/core/status/writable/writable-status.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';
import { differs } from './demo-messages.ts';

/** One workload object, with everything that its `.status` and labels depend on, as in the API servers. */
export interface StatusWorld {
  readonly ref: WorkloadRef;
  /** The object in the WDS. */
  readonly object: JsonObject;
  /** The Bindings of the WDS: at least those that name the object. */
  readonly bindings: readonly JsonObject[];
  /** The object in the WECs that have it, by WEC. */
  readonly inWecs: ReadonlyMap<string, JsonObject>;
}

/** The same, with everything that its CombinedStatuses depend on. */
export interface WorkloadWorld extends StatusWorld {
  /** The WDS's StatusCollectors and CombinedStatuses. */
  readonly collectors: readonly JsonObject[];
  readonly combinedStatuses: readonly JsonObject[];
}

const compileText = createCompiler();

function nameOf(object: JsonObject): string {
  return String(at(object, 'metadata', 'name') ?? '');
}

function controlObject(object: JsonObject): ControlObject {
  return { name: nameOf(object), uid: uidOf(object), object };
}

function rowOf(wec: string, object: JsonObject, specs: Map<string, JsonValue>): PerWecRow {
  const { spec, ...returned } = returnedObject(object);
  if (spec === undefined) return { wec, row: { wec, ...returned } };
  const specHash = contentHash(stringifyJson(spec));
  specs.set(specHash, spec);
  return { wec, row: { wec, ...returned, specHash } };
}

/** The desired content of the WDS for the object, from the present state of the clusters. */
export function expectedOf(world: Omit<WorkloadWorld, 'combinedStatuses'>): DesiredWorkload {
  const { ref, object } = world;
  const membership = readMembership(
    {
      bindings: world.bindings.map(controlObject),
      // A Binding names the policy from which it was made.
      policies: [],
      collectors: world.collectors.map(controlObject),
    },
    compileText,
  );
  const specs = new Map<string, JsonValue>();
  const rows = new Map([...world.inWecs].map(([wec, one]) => [wec, rowOf(wec, one, specs)]));
  // It is not known here which WECs are silent, and which labels they have. In the demo, no WEC is silent
  // or has labels. Otherwise, the results of collectors that use labels or `propagation` may differ from this result, and so
  // may those of objects with `starfold.dev/silent-after`. Of the latter, the monitor then measures no latency.
  return desiredWorkload(membership, { ref, uid: uidOf(object), object, rows, specs }).desired;
}

function difference(what: string, is: JsonValue | undefined, wanted: JsonValue | undefined) {
  return equalJson(is, wanted) ? [] : [differs(what, stringifyJson(is), stringifyJson(wanted))];
}

function objectDifferences({ object }: StatusWorld, { status }: DesiredWorkload): string[] {
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
  const current = new Map(
    world.combinedStatuses.filter((one) => isOf(world, one)).map((one) => [nameOf(one), one]),
  );
  const wanted = new Map(desired.combinedStatuses.map(({ name, object }) => [name, object]));
  return [...new Set([...current.keys(), ...wanted.keys()])].flatMap((name) =>
    difference(`CombinedStatus ${name}`, shown(current.get(name)), shown(wanted.get(name))),
  );
}

/**
 * The differences between the `.status` and the labels of a workload object in the WDS and the result of a fresh fold. Evaluates no
 * StatusCollector.
 */
export function statusDifferencesOf(world: StatusWorld): readonly string[] {
  return objectDifferences(world, expectedOf({ ...world, collectors: [] }));
}

/**
 * The differences between the WDS's content for a workload object and the result of a fresh fold. Empty if there are
 * none.
 */
export function differencesOf(world: WorkloadWorld): readonly string[] {
  const desired = expectedOf(world);
  return [...objectDifferences(world, desired), ...combinedStatusDifferences(world, desired)];
}

import { contentHash } from '#shared/content-hash.ts';
import { parseBinding } from '#shared/core/binding/binding.ts';
import { createDestinations } from '#shared/core/binding/destinations.ts';
import {
  type OldestBindings,
  oldestBindings,
  refusedText,
} from '#shared/core/binding/oldest-bindings.ts';
import { type ErrorsOfWorkload, workloadErrorTexts } from '#shared/core/binding/workload-errors.ts';
import type { WorkloadMembership } from '#shared/core/binding/workload-membership.ts';
import type { CompiledCollector } from '#shared/core/collector/compiled-collector.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import {
  createWorkloadFold,
  type DesiredWorkload,
  type WorkloadResult,
} from '#shared/core/desired/workload-fold.ts';
import type { KindSchema } from '#shared/core/expression/object-field.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import {
  at,
  equalJson,
  isArray,
  type JsonObject,
  type JsonValue,
  member,
  stringifyJson,
} from '#shared/core/json.ts';
import { OWNED_LABELS } from '#shared/core/kubestellar.ts';
import type { Labels } from '#shared/core/labels.ts';
import { createdOf, workloadContent } from '#shared/core/metadata.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import type { ApiResource } from '#shared/core/schema/built-in-kinds.ts';
import { crdSchema, unknownSchema } from '#shared/core/schema/crd-schema.ts';
import { bindingSchemaErrors, schemaUses } from '#shared/core/schema/schema-errors.ts';
import { returnedObject } from '#shared/core/status/returned-object.ts';
import { writableStatus } from '#shared/core/status/writable/writable-status.ts';
import type { WecInventory } from '#shared/core/wec-inventory.ts';
import { type WorkloadRef, workloadKey, workloadTitle } from '#shared/core/workload.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { CROWDED, workloads } from './objects.ts';
import { SCHEMAS, WDS, type World } from './world.ts';

interface Standing {
  readonly ref: ObjectRef;
  readonly object: JsonObject;
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function ofResource(world: World, resource: string): readonly Standing[] {
  return world.wds.objects().filter(({ ref }) => ref.resource === resource);
}

function validCollectors(world: World): ReadonlyMap<string, CompiledCollector> {
  const valid = new Map<string, CompiledCollector>();
  for (const { ref, object } of ofResource(world, 'statuscollectors')) {
    const compilation = compileStatusCollector(member(object, 'spec') ?? {});
    if (compilation.ok) valid.set(ref.name, compilation.collector);
  }
  return valid;
}

/** The times that histories put into `starfold.dev/silent-after`, in milliseconds; another text does not count. */
const TIMES: Readonly<Record<string, number>> = { '2m': 120_000, '24h': 86_400_000 };

function timeOf(object: JsonObject | undefined): number | undefined {
  return TIMES[text(at(object, 'metadata', 'annotations', 'starfold.dev/silent-after'))];
}

function policyOf(world: World, binding: string): JsonObject | undefined {
  return ofResource(world, 'bindingpolicies').find(({ ref }) => ref.name === binding)?.object;
}

/** After how long a silent WEC has said nothing for a Binding: its own time, or else its policy's. */
function bindingTime(world: World, { ref, object }: Standing): number | undefined {
  return timeOf(object) ?? timeOf(policyOf(world, ref.name));
}

/**
 * The WECs that have said nothing of an object, because they have been silent for too long. Of a world at rest: who is down
 * has been down for longer than five minutes and for less than a day, and the others have just spoken.
 */
function unheardOf(world: World, { ref, object }: Standing): ReadonlySet<string> {
  const { group, resource, namespace, name } = ref;
  const naming = oldestOf(world, { wds: WDS, group, resource, namespace, name }).counted;
  const times = ofResource(world, 'bindings')
    .filter((standing) => naming.some(({ binding }) => binding === standing.ref.name))
    .flatMap((standing) => bindingTime(world, standing) ?? []);
  const time = timeOf(object) ?? Math.min(...times);
  return time === TIMES['2m'] ? downWecs(world) : new Set();
}

function downWecs(world: World): ReadonlySet<string> {
  return new Set(world.wecForwarders(false).map(({ source }) => source.name));
}

/** The Bindings that name an object; those of them count that are as old as they have to be. */
function oldestOf(world: World, ref: WorkloadRef): OldestBindings<WorkloadMembership> {
  return oldestBindings(membershipsOf(world, ref), world.crowded ? CROWDED : undefined);
}

function policyUid(world: World, binding: string): { policyUid?: string } {
  const uid = text(at(policyOf(world, binding), 'metadata', 'uid'));
  return uid === '' ? {} : { policyUid: uid };
}

function membershipsOf(world: World, ref: WorkloadRef): readonly WorkloadMembership[] {
  const memberships: WorkloadMembership[] = [];
  for (const { object, ref: bindingRef } of ofResource(world, 'bindings')) {
    const { destinations, objects } = parseBinding(object);
    const bound = objects.find(
      (one) =>
        one.group === ref.group &&
        one.resource === ref.resource &&
        one.namespace === ref.namespace &&
        one.name === ref.name,
    );
    if (bound === undefined) continue;
    memberships.push({
      binding: bindingRef.name,
      bindingUid: text(at(object, 'metadata', 'uid')),
      ...policyUid(world, bindingRef.name),
      created: createdOf(object),
      version: bound.version,
      modulation: bound.modulation,
      destinations: createDestinations(bindingRef.name, destinations),
    });
  }
  return memberships.sort((a, b) => (a.binding < b.binding ? -1 : 1));
}

function rowIn(world: World, wec: string, ref: ObjectRef): { row: PerWecRow; spec?: JsonValue } {
  const key = ({ group, resource, namespace, name }: ObjectRef): string =>
    [group, resource, namespace, name].join('/');
  const standing = world.wecs
    .get(wec)
    ?.objects()
    .find((one) => key(one.ref) === key(ref));
  if (standing === undefined) return { row: { wec } };
  const { spec, ...returned } = returnedObject(standing.object);
  const specHash = spec === undefined ? {} : { specHash: contentHash(stringifyJson(spec)) };
  return {
    row: { wec, row: { wec, ...returned, ...specHash } },
    ...(spec === undefined ? {} : { spec }),
  };
}

/** The labels of WECs: those of their ManagedClusters, or else those that their forwarders were given. */
function inventoryOf(world: World): ReadonlyMap<string, WecInventory> {
  const given = [...world.ownLabels];
  const managed = world.hub
    .objects()
    .map(({ ref, object }) => [ref.name, at(object, 'metadata', 'labels') as Labels] as const);
  return new Map([...given, ...managed].map(([wec, labels]) => [wec, { labels, annotations: {} }]));
}

/** What a fresh fold of everything as it stands now gives for one workload object. */
export function freshResult(world: World, standing: Standing): WorkloadResult {
  const { group, resource, namespace, name } = standing.ref;
  const ref: WorkloadRef = { wds: WDS, group, resource, namespace, name };
  const memberships = oldestOf(world, ref).counted;
  const specs = new Map<string, JsonValue>();
  const rows: PerWecRow[] = [];
  const wecs = new Set(memberships.flatMap(({ destinations }) => destinations.names));
  const unheard = unheardOf(world, standing);
  for (const wec of wecs) {
    const { row, spec } = rowIn(world, wec, standing.ref);
    if (spec !== undefined) specs.set(row.row?.specHash ?? '', spec);
    rows.push(unheard.has(wec) ? { wec, uncounted: row } : row);
  }
  const fold = createWorkloadFold({
    ref,
    object: workloadContent(standing.object) as WorkloadObject,
    memberships,
    collectors: validCollectors(world),
    specs,
    // Of a world at rest: who is down has been down for longer than the limit, and the others have just spoken.
    silent: new Map([...downWecs(world)].map((wec) => [wec, '2026-01-01T00:00:00Z'])),
    inventory: inventoryOf(world),
  });
  return fold.finish(foldRows(fold, rows));
}

function labelDifferences(object: JsonObject, desired: DesiredWorkload): string[] {
  if (desired.status.type === 'untouched') return [];
  const wanted = desired.status.labels;
  return OWNED_LABELS.filter(
    (key) => (at(object, 'metadata', 'labels', key) ?? null) !== (wanted[key] ?? null),
  ).map((key) => `label ${key}`);
}

/** What stands and API servers let nobody change, as the start of a Job, is no difference. */
function statusDifferences(object: JsonObject, desired: DesiredWorkload): string[] {
  if (desired.status.type !== 'status') return [];
  const stored = member(object, 'status');
  const { status } = writableStatus(object, desired.status.status, stored);
  const [is, wanted] = [stringifyJson(stored), stringifyJson(status)];
  return is === wanted ? [] : [`status is ${is}, wanted ${wanted}`];
}

/** What of the wanted status does not come to stand in the object: each Binding that names it says so. */
function unwritable(
  { ref, object }: Standing,
  { status, bindings: named }: DesiredWorkload,
): readonly (readonly [binding: string, error: string])[] {
  if (status.type !== 'status') return [];
  const { problem } = writableStatus(object, status.status, member(object, 'status'));
  if (problem === undefined) return [];
  const text = `${workloadTitle(ref)}: status: ${problem}`;
  return named.map((binding) => [binding, text]);
}

function combinedStatusDifferences(
  world: World,
  wanted: ReadonlyMap<string, JsonObject>,
): string[] {
  const differences: string[] = [];
  const shown = (object: JsonObject): string =>
    stringifyJson({
      labels: at(object, 'metadata', 'labels') ?? null,
      ownerReferences: at(object, 'metadata', 'ownerReferences') ?? null,
      results: member(object, 'results') ?? null,
    });
  const standing = new Map(
    ofResource(world, 'combinedstatuses').map(({ ref, object }) => [
      `${ref.namespace}/${ref.name}`,
      object,
    ]),
  );
  for (const name of new Set([...wanted.keys(), ...standing.keys()])) {
    const [is, should] = [standing.get(name), wanted.get(name)];
    if (is === undefined) differences.push(`CombinedStatus ${name} is missing`);
    else if (should === undefined) differences.push(`CombinedStatus ${name} should not exist`);
    else if (shown(is) !== shown(should))
      differences.push(`CombinedStatus ${name} is ${shown(is)}, wanted ${shown(should)}`);
  }
  return differences;
}

/** Whether a Binding's condition tells which of the collectors that it names are missing or invalid. */
function tellsMissing(object: JsonObject, missing: readonly string[]): boolean {
  const conditions = at(object, 'status', 'conditions');
  const condition = isArray(conditions)
    ? conditions.find((one) => member(one, 'type') === 'StatusCollectorsAvailable')
    : undefined;
  if (missing.length === 0) return member(condition, 'status') === 'True';
  // Those that are missing, and those that are invalid, in a list each.
  const lists = text(member(condition, 'message')).matchAll(/\[([^\]]*)\]/g);
  const told = [...lists].flatMap(([, names = '']) => names.split(' ')).sort();
  return member(condition, 'status') === 'False' && equalJson(told, [...missing].sort());
}

/** Whether the condition of a Binding, or of its policy, names the WECs that are down or that there are not, and no other. */
function tellsReporting(world: World, binding: JsonObject, object: JsonObject): boolean {
  const { destinations } = parseBinding(binding);
  const down = downWecs(world);
  const wanted = destinations.flatMap((wec) => {
    if (!world.wecs.has(wec)) return [`${wec} never reported`];
    return down.has(wec) ? [`${wec} silent since`] : [];
  });
  const conditions = at(object, 'status', 'conditions');
  const condition = isArray(conditions)
    ? conditions.find((one) => member(one, 'type') === 'WECsReporting')
    : undefined;
  const message = text(member(condition, 'message'));
  const named = [...message.matchAll(/(\S+) \((silent since|never reported)/g)];
  const is = named.map(([, wec, what]) => `${wec} ${what}`).sort();
  const status = wanted.length === 0 ? 'True' : 'False';
  return equalJson(is, wanted.sort()) && member(condition, 'status') === status;
}

const BUILT_IN: ReadonlyMap<string, KindSchema | undefined> = new Map([
  ['deployments', await SCHEMAS.find({ group: 'apps', version: 'v1', resource: 'deployments' })],
  ['jobs', await SCHEMAS.find({ group: 'batch', version: 'v1', resource: 'jobs' })],
]);

function schemaOf(world: World, resource: ApiResource): KindSchema {
  const builtIn = BUILT_IN.get(resource.resource);
  if (builtIn !== undefined) return builtIn;
  const [definition] = ofResource(world, 'customresourcedefinitions');
  return crdSchema(definition?.object, resource) ?? unknownSchema(resource);
}

function schemaErrors(world: World, binding: JsonObject): readonly string[] {
  const uses = schemaUses(parseBinding(binding).objects, validCollectors(world));
  return bindingSchemaErrors(uses.map((use) => ({ use, schema: schemaOf(world, use.resource) })));
}

function bindingDifferences(
  world: World,
  errors: ReadonlyMap<string, readonly ErrorsOfWorkload[]>,
): string[] {
  const valid = validCollectors(world);
  return ofResource(world, 'bindings').flatMap(({ ref, object }) => {
    const { objects } = parseBinding(object);
    const named = new Set(objects.flatMap(({ modulation }) => modulation.statusCollectors));
    const missing = [...named].filter((name) => !valid.has(name)).sort();
    const listed = at(object, 'status', 'errors');
    const shown = isArray(listed) ? listed.map(text).sort() : [];
    const expected = [
      ...schemaErrors(world, object),
      ...workloadErrorTexts(errors.get(ref.name) ?? []),
    ]
      .map((error) => `starfold: ${error}`)
      .sort();
    const policy = policyOf(world, ref.name);
    const tells =
      tellsMissing(object, missing) &&
      tellsReporting(world, object, object) &&
      (policy === undefined || tellsReporting(world, object, policy));
    return tells && equalJson(shown, expected)
      ? []
      : [
          `Binding ${ref.name} says ${stringifyJson(member(object, 'status'))}, missing ${missing}, errors ${expected}`,
        ];
  });
}

function collectorDifferences(world: World): string[] {
  return ofResource(world, 'statuscollectors').flatMap(({ ref, object }) => {
    const compilation = compileStatusCollector(member(object, 'spec') ?? {});
    const wanted = {
      observedGeneration: at(object, 'metadata', 'generation') ?? 0,
      ...(compilation.ok ? {} : { errors: compilation.errors }),
    };
    const is = stringifyJson(member(object, 'status'));
    return is === stringifyJson(wanted) ? [] : [`StatusCollector ${ref.name} says ${is}`];
  });
}

/** What Bindings say that do not count for an object, whether it stands or not: by Binding. */
function refusals(world: World): Map<string, readonly ErrorsOfWorkload[]> {
  const errors = new Map<string, readonly ErrorsOfWorkload[]>();
  for (const { version: _version, ...object } of workloads(world)) {
    const ref = { wds: WDS, ...object };
    const told = { workload: workloadKey(ref), errors: [refusedText(ref, CROWDED)] };
    for (const binding of oldestOf(world, ref).refused)
      errors.set(binding, [...(errors.get(binding) ?? []), told]);
  }
  return errors;
}

/** Everything in the WDS that is not what a fresh fold of the clusters as they stand would make it. */
export function differences(world: World): readonly string[] {
  const found: string[] = [];
  const combined = new Map<string, JsonObject>();
  const errors = refusals(world);
  const byKey = (standing: Standing): string => workloadKey({ wds: WDS, ...standing.ref });
  // A Binding tells of its objects in the order of their keys.
  for (const standing of [...world.wds.objects()].sort((a, b) => (byKey(a) < byKey(b) ? -1 : 1))) {
    if (standing.ref.group === 'control.kubestellar.io') continue;
    const { desired, bindingErrors } = freshResult(world, standing);
    const workload = byKey(standing);
    const left = unwritable(standing, desired).map(([binding, text]) => [binding, [text]] as const);
    for (const [binding, texts] of [...bindingErrors, ...left])
      errors.set(binding, [...(errors.get(binding) ?? []), { workload, errors: texts }]);
    const mine = [
      ...labelDifferences(standing.object, desired),
      ...statusDifferences(standing.object, desired),
    ];
    found.push(...mine.map((one) => `${standing.ref.resource}/${standing.ref.name}: ${one}`));
    for (const { namespace, name, object } of desired.combinedStatuses)
      combined.set(`${namespace}/${name}`, object);
  }
  found.push(
    ...combinedStatusDifferences(world, combined),
    ...bindingDifferences(world, errors),
    ...collectorDifferences(world),
  );
  return found;
}

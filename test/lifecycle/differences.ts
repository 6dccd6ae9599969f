import type { Evaluated } from '#local/cli/eval/evaluate.ts';
import { sameBinding } from '#shared/core/binding/binding-object.ts';
import {
  at,
  equalJson,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  stringifyJson,
} from '#shared/core/json.ts';
import { OWNED_LABELS } from '#shared/core/kubestellar.ts';
import { writableStatus } from '#shared/core/status/writable/writable-status.ts';
import { withMetadata } from './clusters.ts';
import { type Export, exportAll } from './export.ts';
import { evaluateExport } from './fresh.ts';
import { USERS_STATUS } from './tampering.ts';
import { generationKey, type World } from './world.ts';

const CONTROL = 'control.kubestellar.io/v1alpha1';
const WRITES_BACK: ReadonlySet<string> = new Set(['BindingPolicy', 'Binding', 'StatusCollector']);
const BINDING: ReadonlySet<string> = new Set(['Binding']);
/** Never written; of a Job's status what its spec did not allow to clear at that time stays. */
const LEAVES_SOMETHING: ReadonlySet<string> = new Set([
  'Namespace',
  'CustomResourceDefinition',
  'Job',
]);

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function identity(object: JsonObject): string {
  const { apiVersion, kind, metadata } = object;
  const group = text(apiVersion).includes('/') ? text(apiVersion).split('/')[0] : '';
  return `${group}/${text(kind)}/${text(member(metadata, 'namespace'))}/${text(member(metadata, 'name'))}`;
}

function isControl({ apiVersion, kind }: JsonObject, kinds: ReadonlySet<string>): boolean {
  return apiVersion === CONTROL && kinds.has(text(kind));
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isArray(value) ? value : [];
}

/**
 * A status of KubeStellar's objects, without when its conditions changed, and without `WECsReporting`: the command does not
 * know of heartbeats.
 */
function timeless(status: JsonValue | undefined): JsonValue {
  if (!isObject(status)) return status ?? null;
  const conditions = listOf(status['conditions']).flatMap((condition): readonly JsonValue[] => {
    if (!isObject(condition)) return [condition];
    const { lastTransitionTime: _time, ...rest } = condition;
    return condition['type'] === 'WECsReporting' ? [] : [rest];
  });
  return { ...status, conditions };
}

/** What Starfold says in the status of a Binding. Other controllers may have put more there. */
function ownPart(binding: JsonObject): JsonValue {
  const status = timeless(member(binding, 'status'));
  const conditions = listOf(member(status, 'conditions'));
  return {
    conditions: conditions.filter((one) => member(one, 'type') === 'StatusCollectorsAvailable'),
    errors: listOf(member(status, 'errors')).filter((error) =>
      text(error).startsWith('starfold: '),
    ),
  };
}

function difference(
  what: string,
  is: JsonValue | undefined,
  wanted: JsonValue | undefined,
): string[] {
  if (equalJson(is, wanted)) return [];
  const shown = (value: JsonValue | undefined): string =>
    value === undefined ? 'absent' : stringifyJson(value);
  return [`${what} is ${shown(is)}, wanted ${shown(wanted)}`];
}

/**
 * The generation that a Binding's status speaks of: the present one, or one at which the Binding said the same. Its
 * resourceVersions change with the objects that it names, and that is no change (see `comparedBinding`).
 */
function generationDifferences(is: JsonObject, before: ReadonlyMap<string, JsonObject>): string[] {
  const observed = at(is, 'status', 'observedGeneration');
  const then = before.get(generationKey(is, observed));
  const isSame = then !== undefined && sameBinding(then, is, { ignoreResourceVersions: true });
  const generation = at(is, 'metadata', 'generation');
  return isSame ? [] : difference(`${identity(is)}: observedGeneration`, observed, generation);
}

function withoutGeneration(status: JsonValue): JsonValue {
  if (!isObject(status)) return status;
  const { observedGeneration: _generation, ...rest } = status;
  return rest;
}

function bindingDifferences(
  is: JsonObject,
  wanted: JsonObject,
  before: ReadonlyMap<string, JsonObject>,
): string[] {
  const what = identity(is);
  const isSame = sameBinding(is, wanted, { ignoreResourceVersions: true });
  // One that a policy yields is made from nothing: it has not what other controllers wrote.
  const isYielded = at(wanted, 'metadata', 'uid') === undefined;
  const [standing, fresh] = [is, wanted].map((one) =>
    isYielded ? ownPart(one) : withoutGeneration(timeless(member(one, 'status'))),
  );
  return [
    ...(isSame ? [] : difference(`${what}: spec`, member(is, 'spec'), member(wanted, 'spec'))),
    ...generationDifferences(is, before),
    ...difference(`${what}: status`, standing, fresh),
  ];
}

function objectDifferences(is: JsonObject, wanted: JsonObject): string[] {
  const what = identity(is);
  if (isControl(is, WRITES_BACK)) {
    const [standing, fresh] = [is, wanted].map((one) => timeless(member(one, 'status')));
    return difference(`${what}: status`, standing, fresh);
  }
  const members = new Set([...Object.keys(is), ...Object.keys(wanted)]);
  return [...members].flatMap((name) => difference(`${what}: ${name}`, is[name], wanted[name]));
}

/** What the command prints and the WDS does not have, or has otherwise; what the WDS has and the command does not print. */
export function standingDifferences(
  given: Export,
  evaluated: Evaluated,
  before: ReadonlyMap<string, JsonObject>,
): readonly string[] {
  const standing = new Map(given.wds.map((object) => [identity(object), object]));
  const printed = new Set(evaluated.objects.map(identity));
  const missing = evaluated.objects.flatMap((wanted) => {
    const is = standing.get(identity(wanted));
    if (is === undefined) return [`${identity(wanted)} is missing: ${stringifyJson(wanted)}`];
    return isControl(is, BINDING)
      ? bindingDifferences(is, wanted, before)
      : objectDifferences(is, wanted);
  });
  const surplus = [...standing].flatMap(([key, object]) => {
    if (object['kind'] === 'ManagedCluster' || printed.has(key)) return [];
    return [`${key} should not exist: ${stringifyJson(object)}`];
  });
  return [...missing, ...surplus];
}

function isManaged(object: JsonObject): boolean {
  const labels = at(object, 'metadata', 'labels');
  return isObject(labels) && Object.keys(labels).some((key) => key.startsWith('managed-by.'));
}

function withoutOwnLabels(object: JsonObject): JsonObject {
  const labels = at(object, 'metadata', 'labels');
  const own: readonly string[] = OWNED_LABELS;
  const kept = Object.entries(isObject(labels) ? labels : {}).filter(([key]) => !own.includes(key));
  return withMetadata(object, {
    labels: kept.length === 0 ? undefined : Object.fromEntries(kept),
  });
}

function withoutStatus(object: JsonObject): JsonObject {
  const { status: _status, ...rest } = object;
  return rest;
}

/** The same clusters as if Starfold had never been there. */
function untouched(given: Export): Export {
  const wds = given.wds
    .filter(({ kind }) => kind !== 'CombinedStatus')
    .map((object) => {
      if (isControl(object, WRITES_BACK)) return withoutStatus(object);
      const bare = withoutOwnLabels(object);
      return isManaged(object) ? withoutStatus(bare) : bare;
    });
  return { ...given, wds };
}

/**
 * A status as far as it does not depend on what stood there before: a collisionCount stays where it was higher (see
 * `writableStatus`).
 */
function withoutHistory(status: JsonValue | undefined): JsonValue | undefined {
  if (!isObject(status)) return status;
  const { collisionCount: _count, ...rest } = status;
  return rest;
}

function ownLabels(object: JsonObject): JsonValue {
  const labels = at(object, 'metadata', 'labels');
  return Object.fromEntries(OWNED_LABELS.map((key) => [key, member(labels, key) ?? null]));
}

/** Whether a status is what is left when Starfold clears one (see `writableStatus`), or a user's. */
function isNobodys(object: JsonObject): boolean {
  const status = member(object, 'status');
  if (!isObject(status)) return true;
  return USERS_STATUS in status || equalJson(writableStatus(object, {}, status).status, status);
}

function workloadDifferences(is: JsonObject, wanted: JsonObject): string[] {
  // What is being deleted is left as it is (docs/architecture.md, section 9.16).
  if (at(is, 'metadata', 'deletionTimestamp') !== undefined) return [];
  const what = `from nothing: ${identity(is)}`;
  const labels = difference(`${what}: labels`, ownLabels(is), ownLabels(wanted));
  // What a Job has reached stays, whatever its WECs say later (see `writableStatus`).
  if (!isManaged(is) || is['kind'] === 'Job') return labels;
  const [status, fresh] = [is, wanted].map((one) => withoutHistory(member(one, 'status')));
  return [...labels, ...difference(`${what}: status`, status, fresh)];
}

/** What Starfold would make of the same clusters if it had never seen them. */
function freshDifferences(given: Export, evaluated: Evaluated): readonly string[] {
  const standing = new Map(given.wds.map((object) => [identity(object), object]));
  return evaluated.objects.flatMap((wanted) => {
    const is = standing.get(identity(wanted));
    // Whether everything stands that shall has been compared before.
    if (is === undefined || isControl(is, WRITES_BACK)) return [];
    if (is['kind'] !== 'CombinedStatus') return workloadDifferences(is, wanted);
    const what = `from nothing: ${identity(is)}`;
    return [
      ...difference(`${what}: results`, is['results'], wanted['results']),
      ...['labels', 'ownerReferences'].flatMap((name) =>
        difference(`${what}: ${name}`, at(is, 'metadata', name), at(wanted, 'metadata', name)),
      ),
    ];
  });
}

/** Statuses that nobody asks for any more and that are neither a user's nor an API server's. */
function leftovers(given: Export, tampered: ReadonlySet<string>, initial: ReadonlySet<string>) {
  return given.wds.flatMap((object) => {
    const { apiVersion, kind } = object;
    if (apiVersion === CONTROL || kind === 'ManagedCluster' || LEAVES_SOMETHING.has(text(kind)))
      return [];
    const status = member(object, 'status');
    if (isManaged(object) || isNobodys(object) || initial.has(stringifyJson(status ?? null)))
      return [];
    const name = `${text(at(object, 'metadata', 'namespace'))}/${text(at(object, 'metadata', 'name'))}`;
    // Without the label that a user took away nobody knows that the status was Starfold's (docs/architecture.md,
    // section 9.14).
    if ([...tampered].some((key) => key.endsWith(`/${name}`))) return [];
    return [`${identity(object)} has a status left over: ${stringifyJson(status ?? null)}`];
  });
}

/** `.status` that the API server gives new objects. */
const INITIAL: ReadonlySet<string> = new Set(
  [
    { availableReplicas: 0, replicas: 0 },
    { loadBalancer: {} },
    { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 },
  ].map((status) => stringifyJson(status)),
);

/** Everything in the WDS that is not what `starfold eval` makes of the clusters as they stand. */
export async function differences(world: World): Promise<readonly string[]> {
  const given = await exportAll(world);
  const [standing, fresh] = await Promise.all([
    evaluateExport(given, Date.now()),
    evaluateExport(untouched(given), Date.now()),
  ]);
  return [
    ...standingDifferences(given, standing, world.bindingsAt),
    ...freshDifferences(given, fresh),
    ...leftovers(given, world.tampered, INITIAL),
    ...world.hindrances(),
    ...(await world.deadLetters()),
  ];
}

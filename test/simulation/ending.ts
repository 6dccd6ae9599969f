import { parseBinding } from '#shared/core/binding/binding.ts';
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
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { RANGE, rowKey } from '#shared/state/keys.ts';
import { decodeRow } from '#shared/state/rows.ts';
import { readSetAside } from '#shared/state/set-aside.ts';
import { isOfHostileUser } from './hostile-users.ts';
import { controlRef, find, workloads } from './objects.ts';
import { WDS, type World } from './world.ts';

type Ending = Readonly<Record<string, unknown>>;

interface Standing {
  readonly ref: ObjectRef;
  readonly object: JsonObject;
}

function titleOf({ resource, name }: ObjectRef): string {
  return `${resource}/${name}`;
}

/** The WECs that a Binding names. */
function destinationsOf(object: JsonObject): readonly string[] {
  return parseBinding(object).destinations;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isArray(value) ? value : [];
}

/** In place of uids, which are given in the order of events, what has them. */
function uidNames(world: World): (text: string) => string {
  const names = new Map<string, string>();
  const name = (cluster: string, { ref, object }: Standing): void => {
    names.set(String(at(object, 'metadata', 'uid')), `uid of ${cluster} ${titleOf(ref)}`);
  };
  for (const [wec, cluster] of world.wecs) for (const one of cluster.objects()) name(wec, one);
  for (const one of world.wds.objects())
    if (one.ref.resource !== 'combinedstatuses') name(WDS, one);
  return (text) => text.replace(/uid-\d+/g, (uid) => names.get(uid) ?? 'uid of nothing');
}

async function rowsOf(world: World, without: string | undefined): Promise<Ending> {
  const found: Record<string, unknown> = {};
  for (const ref of workloads(world)) {
    const { pk } = rowKey({ wds: WDS, ...ref }, '');
    const { items } = await world.store.query({ pk, from: RANGE.row, to: `${RANGE.row}~` });
    for (const { wec, deleted, heardMs: _when, ...row } of items.map(decodeRow))
      if (deleted !== true && wec !== without) found[`${titleOf(ref)} in ${wec}`] = row;
  }
  return found;
}

/** Without those of hostile users. */
function standing(world: World, resource: string): readonly Standing[] {
  return world.wds
    .objects()
    .filter(({ ref }) => ref.resource === resource && !isOfHostileUser(ref.name));
}

/** Whether the status of a workload object is made of what this WEC says, among others. */
function qualifies(world: World, { name, resource }: ObjectRef, wec: string | undefined): boolean {
  return standing(world, 'bindings').some(({ object }) => {
    const { destinations, objects } = parseBinding(object);
    const bound = objects.find((one) => one.name === name && one.resource === resource);
    const { wantSingletonReportedState, wantMultiWECReportedState } = bound?.modulation ?? {};
    const isAsked = wantSingletonReportedState || wantMultiWECReportedState;
    return isAsked === true && destinations.some((destination) => destination === wec);
  });
}

function statuses(world: World, without: string | undefined): Ending {
  const found: Record<string, unknown> = {};
  for (const ref of workloads(world)) {
    const object = find(world.wds, ref);
    if (object === undefined || qualifies(world, ref, without)) continue;
    const labels = OWNED_LABELS.map((key) => at(object, 'metadata', 'labels', key));
    const status = member(object, 'status');
    // One that is cleared is as one that never was.
    found[titleOf(ref)] = { status: equalJson(status, {}) ? undefined : status, labels };
  }
  return found;
}

function names(cells: JsonValue, wec: string): boolean {
  const [first] = listOf(at(cells, 'columns'));
  return at(first, 'string') === wec;
}

/** Of the result of a collector what is not this WEC's: of a list its rows; an aggregate is made of what all say. */
function resultWithout(world: World, result: JsonValue, wec: string): Ending {
  const name = String(member(result, 'name'));
  const isList = at(find(world.wds, controlRef('statuscollectors', name)), 'spec', 'select');
  if (isList === undefined) return { name };
  const rows = listOf(member(result, 'rows')).filter((row) => !names(row, wec));
  const errors = listOf(member(result, 'rowErrors'));
  return {
    name,
    columnNames: member(result, 'columnNames'),
    rows,
    rowErrors: errors.filter((error) => at(error, 'wec', 'clusterId') !== wec),
  };
}

function combinedStatuses(world: World, without: string | undefined): Ending {
  const found: Record<string, unknown> = {};
  const bindings = new Map(
    standing(world, 'bindings').map(({ ref, object }) => [ref.name, object]),
  );
  for (const { ref, object } of standing(world, 'combinedstatuses')) {
    const labels = at(object, 'metadata', 'labels');
    const policy = String(member(labels, 'status.kubestellar.io/binding-policy'));
    if (isOfHostileUser(policy)) continue;
    const binding = bindings.get(policy);
    const isNamed = binding && destinationsOf(binding).some((wec) => wec === without);
    const results = listOf(member(object, 'results'));
    found[ref.name] = {
      labels,
      owners: at(object, 'metadata', 'ownerReferences'),
      results: results.map((result) =>
        isNamed && without !== undefined ? resultWithout(world, result, without) : result,
      ),
    };
  }
  return found;
}

/** The WECs but this one that a Binding says do not report, without since when: that depends on when it was recorded. */
function notReporting(condition: JsonValue, without: string | undefined): readonly string[] {
  const named = String(member(condition, 'message')).match(/\S+ \((?:silent|never)/g) ?? [];
  return named.filter((one) => !one.startsWith(`${without} `)).sort();
}

/** What Bindings and StatusCollectors say of themselves. */
function controls(world: World, without: string | undefined): Ending {
  const found: Record<string, unknown> = {};
  for (const { ref, object } of standing(world, 'statuscollectors'))
    found[titleOf(ref)] = member(object, 'status');
  for (const { ref, object } of standing(world, 'bindings')) {
    const errors = listOf(at(object, 'status', 'errors')).filter(
      (error) => without === undefined || !String(error).includes(`WEC ${without}`),
    );
    const conditions = listOf(at(object, 'status', 'conditions')).map((condition) =>
      member(condition, 'type') === 'WECsReporting'
        ? notReporting(condition, without)
        : ['type', 'status', 'reason', 'message'].map((field) => member(condition, field)),
    );
    found[titleOf(ref)] = { errors, conditions };
  }
  return found;
}

/**
 * What all that a world's own sources have said has come to, as plain values: their rows in the store; of the WDS the
 * statuses, labels and CombinedStatuses, and what Bindings and StatusCollectors say.
 *
 * @param without what follows from what this WEC has said is left out: its rows, its rows in the lists of collectors, the
 *   aggregates and statuses that are made of what it says among others
 */
export async function endingOf(world: World, without?: string): Promise<unknown> {
  const aside = await readSetAside(world.store);
  const own = [`W#${WDS}/`, `B#${WDS}/`, `C#${WDS}/`];
  const ending = {
    rows: await rowsOf(world, without),
    statuses: statuses(world, without),
    combinedStatuses: combinedStatuses(world, without),
    controls: controls(world, without),
    aside: aside
      .map(({ pk }) => pk)
      .filter((pk) => own.some((prefix) => pk.startsWith(prefix)))
      .filter((pk) => !isOfHostileUser(pk.slice(pk.lastIndexOf('/') + 1))),
    failures: world.failures.map(String),
  };
  const named = uidNames(world)(stringifyJson(ending as never));
  return JSON.parse(named);
}

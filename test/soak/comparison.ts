import { differencesOf, type WorkloadWorld } from '#local/start/expected.ts';
import { parseBinding } from '#shared/core/binding/binding.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import type { SoakCluster, SoakClusters } from './clusters.ts';
import { DEPLOYMENTS } from './objects.ts';

/** A comparison of the WDS with a fresh fold. */
export interface Comparison {
  /** Workload objects that were compared. */
  readonly objects: number;
  readonly combinedStatuses: number;
  /** Where the WDS says something else, which object and what; empty where it says what it must. */
  readonly differences: readonly string[];
}

type Objects = ReadonlyMap<string, JsonObject>;

function control(resource: string): Resource {
  return { group: 'control.kubestellar.io', version: 'v1alpha1', resource };
}

function keyOf(object: JsonObject): string {
  return `${String(at(object, 'metadata', 'namespace'))}/${String(at(object, 'metadata', 'name'))}`;
}

function uidOf(object: JsonObject): string {
  return String(at(object, 'metadata', 'uid'));
}

async function listed({ api }: SoakCluster, resource: Resource): Promise<readonly JsonObject[]> {
  return (await api.list(resource, {})).items;
}

function byKey(objects: readonly JsonObject[]): Objects {
  return new Map(objects.map((object) => [keyOf(object), object]));
}

/** Each Binding under the keys of all objects that it names. */
function bindingsByKey(bindings: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  return new Map(
    bindings.flatMap((binding) =>
      parseBinding(binding).objects.map(({ namespace, name }) => [`${namespace}/${name}`, binding]),
    ),
  );
}

/** By the uid of the workload object, with which their names begin. */
function byUid(combinedStatuses: readonly JsonObject[]): Map<string, JsonObject[]> {
  const groups = new Map<string, JsonObject[]>();
  for (const object of combinedStatuses) {
    const name = String(at(object, 'metadata', 'name'));
    const uid = name.slice(0, name.lastIndexOf('.'));
    groups.set(uid, [...(groups.get(uid) ?? []), object]);
  }
  return groups;
}

/** What stands in the clusters, found by what belongs together. */
interface Standing {
  readonly wds: string;
  /** By object, as {@link keyOf} names it. */
  readonly bindings: Objects;
  readonly collectors: readonly JsonObject[];
  readonly combinedStatuses: ReadonlyMap<string, readonly JsonObject[]>;
  /** By WEC. */
  readonly inWecs: readonly (readonly [string, Objects])[];
}

function worldOf(object: JsonObject, standing: Standing): WorkloadWorld {
  const { wds, bindings, collectors, combinedStatuses, inWecs } = standing;
  const key = keyOf(object);
  const [namespace = '', name = ''] = key.split('/');
  const binding = bindings.get(key);
  const copies = inWecs.flatMap(([wec, objects]): readonly (readonly [string, JsonObject])[] => {
    const copy = objects.get(key);
    return copy === undefined ? [] : [[wec, copy]];
  });
  return {
    ref: { wds, ...DEPLOYMENTS, namespace, name },
    object,
    bindings: binding === undefined ? [] : [binding],
    collectors,
    combinedStatuses: combinedStatuses.get(uidOf(object)) ?? [],
    inWecs: new Map(copies),
  };
}

/** Compares every object in the WDS with a fold of the WECs' objects, all read from the API servers now. */
export async function compare({ wds, wecs }: SoakClusters): Promise<Comparison> {
  const objects = await listed(wds, DEPLOYMENTS);
  const statuses = await listed(wds, control('combinedstatuses'));
  const combinedStatuses = byUid(statuses);
  const inWecs: (readonly [string, Objects])[] = [];
  for (const wec of wecs) inWecs.push([wec.name, byKey(await listed(wec, DEPLOYMENTS))]);
  const standing = {
    wds: wds.name,
    bindings: bindingsByKey(await listed(wds, control('bindings'))),
    collectors: await listed(wds, control('statuscollectors')),
    ...{ combinedStatuses, inWecs },
  };
  const differences = objects.flatMap((object) =>
    differencesOf(worldOf(object, standing)).map((text) => `${keyOf(object)}: ${text}`),
  );
  const uids = new Set(objects.map(uidOf));
  const left = [...combinedStatuses]
    .filter(([uid]) => !uids.has(uid))
    .flatMap(([, group]) => group.map((object) => `CombinedStatus ${keyOf(object)}: is left over`));
  return {
    objects: objects.length,
    combinedStatuses: statuses.length,
    differences: [...differences, ...left],
  };
}

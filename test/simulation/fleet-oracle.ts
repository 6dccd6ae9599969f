import { type DesiredStatus, statusWith } from '#shared/core/fleet/desired-status.ts';
import { statusDifferences } from '#shared/core/fleet/status-differences.ts';
import {
  AGGREGATED_KINDS,
  type AggregatedKind,
  FLEET_KINDS,
  type FleetResource,
  namespacedName,
} from '#shared/core/fleet-object.ts';
import { equalJson, type JsonObject, stringifyJson } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { allDifferences } from '#shared/state/fleet/differences.ts';
import { naiveStatus } from '#test/property/fleet/naive-fleet.ts';
import { byKind } from '#test/property/fleet/naive-rows.ts';
import { UPSTREAM, type World } from './world.ts';

const RFC3339_SECONDS = 19;

function kindOf(ref: ObjectRef): (typeof FLEET_KINDS)[FleetResource] {
  return FLEET_KINDS[ref.resource as FleetResource];
}

/** What every status should be, computed anew from everything that stands. */
function* desiredStatuses(
  world: World,
  hasAllJobs: boolean,
): Generator<{
  readonly id: string;
  readonly object: JsonObject;
  readonly desired: DesiredStatus | undefined;
}> {
  const objects = world.upstream.objects();
  const all = objects.map(({ ref, object }) => ({ ...ref, kind: kindOf(ref), object }));
  const fleet = { objects: byKind(all), nowMs: world.scheduler.now, hasAllJobs };
  for (const { ref, object } of objects) {
    const kind = AGGREGATED_KINDS.find((one: AggregatedKind) => one === kindOf(ref));
    if (kind === undefined) continue;
    const name = namespacedName(ref.namespace, ref.name);
    yield { id: `${kind} ${name}`, object, desired: naiveStatus(fleet, kind, name) };
  }
}

function differencesFrom(world: World, hasAllJobs: boolean): ReadonlyMap<string, string> {
  const now = `${new Date(world.scheduler.now).toISOString().slice(0, RFC3339_SECONDS)}Z`;
  const wrong = new Map<string, string>();
  for (const { id, object, desired } of desiredStatuses(world, hasAllJobs)) {
    const stored = object['status'] ?? {};
    const wanted = desired === undefined ? stored : statusWith(stored, desired, now);
    if (!equalJson(stored, wanted))
      wrong.set(id, `${id}: ${stringifyJson(stored)} instead of ${stringifyJson(wanted)}`);
  }
  return wrong;
}

/**
 * Where what stands in the management cluster is not what it should be. Of a GitRepo without a job it may be known or not
 * that it has none: nobody has told of one that came and went unseen.
 */
export function fleetDifferences(world: World): readonly string[] {
  const unknown = differencesFrom(world, false);
  return [...differencesFrom(world, true)].flatMap(([id, text]) => (unknown.has(id) ? [text] : []));
}

function differencesTold(world: World, hasAllJobs: boolean): ReadonlyMap<string, string> {
  const told = new Map<string, string>();
  for (const { id, object, desired } of desiredStatuses(world, hasAllJobs)) {
    if (desired === undefined) continue;
    const { differences } = statusDifferences(object['status'], desired);
    if (differences.length > 0) told.set(id, JSON.stringify(differences));
  }
  return told;
}

/** Where what is told of the differences in the management cluster is not what they are. */
export async function wronglyTold(world: World): Promise<readonly string[]> {
  const stored = new Map<string, string>();
  for await (const { subject, differences } of allDifferences(world.store, UPSTREAM)) {
    const { resource, namespace, name } = subject;
    const id = `${FLEET_KINDS[resource]} ${namespacedName(namespace, name)}`;
    stored.set(id, JSON.stringify(differences));
  }
  const [known, unknown] = [differencesTold(world, true), differencesTold(world, false)];
  const ids = new Set([...stored.keys(), ...known.keys(), ...unknown.keys()]);
  return [...ids].flatMap((id) => {
    const found = stored.get(id);
    return found === known.get(id) || found === unknown.get(id)
      ? []
      : [`${id}: ${found} instead of ${known.get(id)}`];
  });
}

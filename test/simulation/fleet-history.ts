import { isObject, type JsonObject } from '#shared/core/json.ts';
import {
  BUNDLES,
  bundle,
  CLUSTERS,
  clusterLabels,
  deploymentLabels,
  deploymentStatus,
  fleetRef,
  GIT_REPOS,
  GROUPS,
  group,
  HELM_OPS,
  namespaceOf,
  put,
  sourceLabels,
  standing,
} from './fleet-objects.ts';
import {
  type Action,
  crash,
  forwarderTrouble,
  overtake,
  type Plot,
  redrive,
  time,
} from './history.ts';
import type { World } from './world.ts';

const HOUR_MS = 3_600_000;
const ID = 's-1:1';

/** In a narrow world everything meets at one. */
function some(world: World, names: readonly string[]): string {
  return world.scheduler.random.pick(world.narrow ? names.slice(0, 1) : names);
}

const setBundle: Action = (world) => {
  const { random } = world.scheduler;
  const ref = fleetRef('bundles', some(world, BUNDLES));
  if (standing(world, ref) !== undefined && random.chance(0.15)) return world.upstream.remove(ref);
  const made = bundle(random);
  const isGoing = random.chance(0.1);
  const metadata = {
    ...(made['metadata'] as JsonObject),
    deletionTimestamp: isGoing ? '2026-01-01T00:00:00Z' : null,
  };
  put(world, ref, { ...made, metadata });
};

/** `recently` or long ago, in whole seconds. */
function seen(world: World): string {
  const { random, now } = world.scheduler;
  const ms = random.chance(0.7) ? now : now - 3 * HOUR_MS - random.below(3) * 60_000;
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

const setCluster: Action = (world) => {
  const { random } = world.scheduler;
  const name = some(world, CLUSTERS);
  const ref = fleetRef('clusters', name);
  if (standing(world, ref) !== undefined && random.chance(0.1)) return world.upstream.remove(ref);
  put(world, ref, { kind: 'Cluster', metadata: { labels: clusterLabels(random) } });
};

const report: Action = (world) => {
  const { random } = world.scheduler;
  const name = some(world, CLUSTERS);
  const ref = fleetRef('clusters', name);
  const before = standing(world, ref);
  if (before === undefined) return;
  const status = isObject(before['status'] ?? null) ? (before['status'] as JsonObject) : {};
  const agent = random.chance(0.1) ? {} : { lastSeen: seen(world) };
  world.upstream.apply(ref, {
    ...before,
    status: { ...status, namespace: namespaceOf(name), agent },
  });
};

const setGroup: Action = (world) => {
  const { random } = world.scheduler;
  const ref = fleetRef('clustergroups', some(world, GROUPS));
  if (standing(world, ref) !== undefined && random.chance(0.1)) return world.upstream.remove(ref);
  put(world, ref, group(random));
};

const setSource: Action = (world) => {
  const { random } = world.scheduler;
  const isRepo = random.chance(0.7);
  const ref = isRepo
    ? fleetRef('gitrepos', some(world, GIT_REPOS))
    : fleetRef('helmops', random.pick(HELM_OPS));
  if (standing(world, ref) !== undefined && random.chance(0.2)) return world.upstream.remove(ref);
  put(world, ref, {
    kind: isRepo ? 'GitRepo' : 'HelmOp',
    spec: { repo: `https://git.example.com/${random.below(2)}` },
  });
};

const setJob: Action = (world) => {
  const { random } = world.scheduler;
  const ref = fleetRef('jobs', `job${random.below(3)}`);
  if (standing(world, ref) !== undefined && random.chance(0.3)) return world.upstream.remove(ref);
  const owner = fleetRef('gitrepos', some(world, GIT_REPOS));
  const failed = [{ type: 'Failed', status: 'True', message: 'no such branch' }];
  put(world, ref, {
    kind: 'Job',
    metadata: {
      creationTimestamp: `2026-01-01T00:00:0${random.below(9)}Z`,
      ownerReferences: [{ kind: 'GitRepo', name: owner.name, uid: 'none' }],
    },
    spec: {},
    status: random.pick<JsonObject>([{ active: 1 }, { failed: 1, conditions: failed }]),
  });
};

const setDeployment: Action = (world) => {
  const { random } = world.scheduler;
  const [name, cluster] = [some(world, BUNDLES), some(world, CLUSTERS)];
  const ref = fleetRef('bundledeployments', name, namespaceOf(cluster));
  const before = standing(world, ref);
  if (before !== undefined && random.chance(0.15)) return world.upstream.remove(ref);
  // Now and then the labels name another cluster than before.
  const named = random.chance(0.05) ? some(world, CLUSTERS) : cluster;
  const labels = deploymentLabels(random, name, named);
  put(world, ref, {
    kind: 'BundleDeployment',
    metadata: { labels },
    spec: { deploymentID: ID, stagedDeploymentID: random.chance(0.9) ? ID : 'next' },
    status: deploymentStatus(random, ID),
  });
};

/** Somebody else writes a status: Fleet's controller, or a user. */
const tamper: Action = (world) => {
  const { random } = world.scheduler;
  const resource = random.pick(['bundles', 'gitrepos', 'helmops', 'clusters', 'clustergroups']);
  const objects = world.upstream.objects().filter(({ ref }) => ref.resource === resource);
  if (objects.length === 0) return;
  const { ref, object } = random.pick(objects);
  const status = isObject(object['status'] ?? null) ? (object['status'] as JsonObject) : {};
  const error = { type: 'Ready', status: 'False', reason: 'Error', message: 'template failed' };
  world.upstream.apply(ref, {
    ...object,
    status: random.pick<JsonObject>([
      { ...status, summary: { ready: 99 } },
      { ...status, conditions: [error] },
      { ...status, observedGeneration: 7, commit: 'abc' },
      {},
    ]),
  });
};

const ACTIONS = [
  setBundle,
  setBundle,
  setCluster,
  report,
  setGroup,
  setSource,
  setJob,
  setDeployment,
  setDeployment,
  tamper,
  forwarderTrouble,
  crash,
  overtake,
  time,
  redrive,
];
const WEIGHTS = [0, 1, 4] as const;

function begin(world: World): void {
  const { random } = world.scheduler;
  for (const cluster of CLUSTERS) {
    const ref = fleetRef('clusters', cluster);
    put(world, ref, { kind: 'Cluster', metadata: { labels: clusterLabels(random) } });
  }
  for (const name of BUNDLES)
    put(world, fleetRef('bundles', name), {
      ...bundle(random),
      metadata: { labels: sourceLabels(random) },
    });
  for (const name of GIT_REPOS)
    put(world, fleetRef('gitrepos', name), {
      kind: 'GitRepo',
      spec: { repo: 'https://git.example.com/a' },
    });
  for (const action of [setGroup, setDeployment, setDeployment, setDeployment, report, report])
    action(world);
}

function mixture(world: World): readonly Action[] {
  const { random } = world.scheduler;
  if (world.narrow)
    return [setDeployment, setBundle, setCluster, setCluster, overtake, crash, redrive];
  const mixed = ACTIONS.flatMap((action) => Array<Action>(random.pick(WEIGHTS)).fill(action));
  return [...mixed, setDeployment, crash];
}

/** What happens in a management cluster of Fleet. */
export const FLEET_PLOT: Plot = { begin, mixture };

/** What Fleet's controllers and agents do, played in a management cluster. */
import { statusWith } from '#shared/core/fleet/desired-status.ts';
import { FLEET_KINDS, type FleetResource } from '#shared/core/fleet-object.ts';
import { isObject, type JsonObject, textAt } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import {
  bundle,
  cluster,
  clusterGroup,
  gitRepo,
  helmOp,
} from '#test/unit/fleet/fixtures/objects.ts';
import { NAMESPACE, namespaceOf } from '#test/unit/fleet/fixtures/parts.ts';
import { type DeployedState, deploymentIn } from '#test/unit/fleet/fixtures/states.ts';
import {
  apply,
  clusters,
  createNamespace,
  MERGE_PATCH,
  pathOf,
  read,
  requestOk,
  setStatus,
} from '../clusters.ts';
import { edit } from '../controls.ts';
import { job } from '../workloads.ts';
import { fleetRef, judged, now, standingObjects } from './statuses.ts';

/** The management cluster. */
export const upstream = clusters().wec2;

/** A Bundle in a Cluster. */
export type Place = readonly [bundle: string, cluster: string];

const EDGES: Readonly<Record<string, JsonObject>> = {
  c1: { env: 'prod', region: 'eu' },
  c2: { env: 'prod', region: 'us' },
  c3: { env: 'prod', region: 'eu' },
  c4: { env: 'dev', region: 'us' },
  c5: { env: 'dev', region: 'us' },
  c6: { env: 'edge', region: 'us' },
};

/** The Clusters. */
export const CLUSTERS = Object.keys(EDGES);

interface Deployed {
  readonly sources: { readonly repo: string; readonly helmOp?: string };
  readonly targets: readonly JsonObject[];
  readonly clusters: readonly string[];
}

const PROD = { clusterSelector: { matchLabels: { env: 'prod' } } };
const DEV = { clusterSelector: { matchLabels: { env: 'dev' } } };
const ALL = { clusterGroup: 'all' };

const BUNDLES: Readonly<Record<string, Deployed>> = {
  'shop-db': { sources: { repo: 'shop' }, targets: [PROD], clusters: ['c1', 'c2', 'c3'] },
  'shop-web': { sources: { repo: 'shop' }, targets: [PROD], clusters: ['c1', 'c2', 'c3'] },
  'tools-agent': { sources: { repo: 'tools' }, targets: [ALL], clusters: CLUSTERS },
  'tools-logs': { sources: { repo: 'tools' }, targets: [ALL], clusters: CLUSTERS },
  'labs-a': { sources: { repo: 'labs' }, targets: [DEV], clusters: ['c4', 'c5'] },
  'labs-b': { sources: { repo: 'labs' }, targets: [DEV], clusters: ['c4', 'c5'] },
  cache: {
    sources: { repo: '', helmOp: 'cache' },
    targets: [
      { clusterName: 'c6' },
      { clusterGroupSelector: { matchLabels: { continent: 'europe' } } },
    ],
    clusters: ['c1', 'c3', 'c6'],
  },
};

/** An object in the namespace of the Bundles. */
export function own(resource: FleetResource, name: string): ObjectRef {
  return fleetRef(resource, NAMESPACE, name);
}

/** The BundleDeployment of a Bundle in a Cluster. */
export function deploymentRef([name, into]: Place): ObjectRef {
  return fleetRef('bundledeployments', namespaceOf(into), name);
}

function resourceOf(kind: string): FleetResource {
  const resource = Object.entries(FLEET_KINDS).find(([, one]) => one === kind)?.[0];
  // The keys are the resources.
  return resource as FleetResource;
}

/** Makes an object, then its status. */
async function put({ apiVersion, kind, metadata, spec, status }: JsonObject): Promise<void> {
  const text = (field: string): string => textAt(metadata, field);
  const ref = fleetRef(resourceOf(String(kind)), text('namespace'), text('name'));
  const labels = isObject(metadata) ? (metadata['labels'] ?? {}) : {};
  const { namespace, name } = ref;
  await apply(upstream, ref, {
    apiVersion: apiVersion ?? '',
    kind: kind ?? '',
    metadata: { namespace, name, labels },
    spec: spec ?? {},
  });
  if (isObject(status) && Object.keys(status).length > 0) await setStatus(upstream, ref, status);
}

/** The status of a deployment in a state, as its agent writes it. */
export function agentStatus(state: DeployedState, more: JsonObject = {}): JsonObject {
  return { ...Object(deploymentIn(state)['status']), ...more };
}

/** Makes BundleDeployments that are Ready. */
export async function deploy(...places: readonly Place[]): Promise<void> {
  for (const [name, into] of places) {
    const { repo = '', helmOp: op = '' } = BUNDLES[name]?.sources ?? {};
    await put(deploymentIn('Ready', { name, cluster: into, repo, helmOp: op }));
  }
}

/** An agent tells how a deployment is. */
export async function agentSays(place: Place, status: JsonObject): Promise<void> {
  await setStatus(upstream, deploymentRef(place), status);
}

/** Fleet's controller stages a version, or lets it be rolled out. */
export async function order(place: Place, spec: JsonObject): Promise<void> {
  await edit(upstream, deploymentRef(place), { spec });
}

/** Changes some fields of a status, as who owns them does. */
export async function mergeStatus(ref: ObjectRef, status: JsonObject): Promise<void> {
  await requestOk(upstream, {
    method: 'PATCH',
    path: `${pathOf(ref)}/status`,
    body: { status },
    type: MERGE_PATCH,
  });
}

/** The agent of a Cluster reported so many minutes ago; returns when that was. */
export async function checkIn(name: string, minutesAgo = 0): Promise<string> {
  const lastSeen = new Date(Date.now() - minutesAgo * 60_000).toISOString().replace(/\.\d+/, '');
  await mergeStatus(own('clusters', name), { agent: { lastSeen } });
  return lastSeen;
}

/** Fleet's controller starts a git job of a GitRepo. */
export async function startGitJob(repo: string, name: string): Promise<ObjectRef> {
  const owner = await read(upstream, own('gitrepos', repo));
  const { ref, object } = job({ namespace: NAMESPACE, name });
  const ownerReferences = [
    {
      apiVersion: 'fleet.cattle.io/v1alpha1',
      kind: 'GitRepo',
      name: repo,
      uid: textAt(owner, 'metadata', 'uid'),
      controller: true,
    },
  ];
  const metadata = { ...Object(object['metadata']), ownerReferences };
  await apply(upstream, ref, { ...object, metadata });
  return ref;
}

function jobStatus(ended: 'Complete' | 'Failed'): JsonObject {
  const lastTransitionTime = now();
  const first = ended === 'Failed' ? 'FailureTarget' : 'SuccessCriteriaMet';
  const conditions = [first, ended].map((type) => ({ type, status: 'True', lastTransitionTime }));
  const succeeded = { succeeded: 1, completionTime: lastTransitionTime };
  return {
    startTime: lastTransitionTime,
    conditions,
    ...(ended === 'Failed' ? { failed: 1 } : succeeded),
  };
}

/** A git job has come to its end. */
export async function endGitJob(ref: ObjectRef, ended: 'Complete' | 'Failed'): Promise<void> {
  await setStatus(upstream, ref, jobStatus(ended));
}

/** Removes an object at once: no controller runs here that would let a Job go. */
export async function removeNow(ref: ObjectRef): Promise<void> {
  const path = `${pathOf(ref)}?propagationPolicy=Background`;
  await requestOk(upstream, { method: 'DELETE', path });
}

/** Fleet's controller makes all statuses what they should be, or those of some kinds and names. */
export async function fleetWrites(isMeant: (id: string) => boolean = () => true): Promise<void> {
  for (const { id, ref, object, desired } of judged(await standingObjects(upstream)))
    if (isMeant(id)) await setStatus(upstream, ref, statusWith(object['status'], desired, now()));
}

/** Makes a Cluster whose agent has never reported. */
export async function makeCluster(name: string): Promise<void> {
  const agent = { lastSeen: null, namespace: 'cattle-fleet-system' };
  await put(cluster({ name, labels: EDGES[name] ?? {}, status: { agent } }));
}

const NO_COUNTS = { unavailable: 0, unavailablePartitions: 0, maxUnavailable: 0 };

async function makeBundle(name: string, { sources, targets }: Deployed): Promise<void> {
  const status = { ...NO_COUNTS, summary: { ready: 0, desiredReady: 0 } };
  const of = { name, repo: sources.repo, helmOp: sources.helmOp ?? '' };
  const list = targets.map((target) => ({ ...target, source: 'gitrepo' }));
  await put(bundle({ ...of, spec: { targets: list }, status }));
}

/** 3 GitRepos, a HelmOp, 6 Clusters in 3 groups, and what is deployed there: all of it is Ready. */
export async function makeFleet(): Promise<void> {
  for (const name of [NAMESPACE, ...CLUSTERS.map((one) => namespaceOf(one))])
    await createNamespace(upstream, name);
  for (const name of CLUSTERS) {
    await makeCluster(name);
    await checkIn(name);
  }
  await put(clusterGroup());
  await put(clusterGroup({ name: 'all', spec: { selector: {} } }));
  const selector = { matchLabels: { region: 'eu' } };
  await put(clusterGroup({ name: 'eu', labels: { continent: 'europe' }, spec: { selector } }));
  for (const name of ['shop', 'tools', 'labs']) await put(gitRepo({ name }));
  await endGitJob(await startGitJob('shop', 'shop-1'), 'Complete');
  await put(helmOp());
  for (const [name, made] of Object.entries(BUNDLES)) {
    await makeBundle(name, made);
    await deploy(...made.clusters.map((into): Place => [name, into]));
  }
}

/** Removes everything. */
export async function clearFleet(): Promise<void> {
  const namespaces = new Set([NAMESPACE, ...CLUSTERS.map((one) => namespaceOf(one))]);
  const standing = await standingObjects(upstream);
  for (const { ref } of standing) if (namespaces.has(ref.namespace)) await removeNow(ref);
}

import fc from 'fast-check';
import { FLEET_LABELS } from '#shared/core/fleet-object.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { namespaceOf, type Place, SHARED_NAMESPACE } from './fleet-places.ts';

/** The time of the world: 2026-11-21T12:00:00Z. */
export const NOW_MS = 1_795_262_400_000;
/** When agents that report were last seen. */
export const SEEN = '2026-11-21T11:50:00Z';
/** When agents that have fallen silent were last seen. */
export const SILENT_SINCE = '2026-11-21T11:00:00Z';

/** Random objects of a kind at a place. */
export type Objects = (place: Place) => fc.Arbitrary<JsonObject>;

/** Few, so that some are the same. */
export const uids = fc.constantFrom('u1', 'u2', 'u3');
/** Metadata of what is being deleted, now and then. */
const dying: fc.Arbitrary<JsonObject> = fc
  .nat(5)
  .map((dice) => (dice === 0 ? { deletionTimestamp: SEEN } : {}));

/** What makes an object one of a GitRepo, of a HelmOp, of both or of none. */
export const sourceLabels: fc.Arbitrary<JsonObject> = fc.constantFrom<JsonObject[]>(
  {},
  { [FLEET_LABELS.repo]: 'r0' },
  { [FLEET_LABELS.repo]: 'r0' },
  { [FLEET_LABELS.repo]: 'r1' },
  { [FLEET_LABELS.helmOp]: 'h0' },
  { [FLEET_LABELS.repo]: 'r1', [FLEET_LABELS.helmOp]: 'h0' },
);

function conditions(...all: readonly JsonObject[][]): fc.Arbitrary<JsonValue> {
  return fc
    .tuple(...all.map((some) => fc.constantFrom<JsonObject[][]>([], ...some.map((one) => [one]))))
    .map((chosen) => chosen.flat());
}

/** Random Bundles. */
export const bundle: Objects = (place) =>
  fc
    .record({
      labels: sourceLabels,
      dying,
      uid: uids,
      targets: fc.constantFrom<JsonValue[]>(
        [{ clusterSelector: {} }],
        [{ clusterSelector: { matchLabels: { env: 'prod' } } }],
        [{ clusterGroup: 'g0' }],
        [{ clusterName: 'c1' }, { clusterGroup: 'g1' }],
        [],
        [{ clusterSelector: 'env=prod' }],
      ),
      // Beyond 2^53, as parseJson reads it.
      chartValue: fc.constantFrom(1, 2n ** 53n + 1n, 2n ** 53n + 2n),
      conditions: conditions([
        { type: 'Ready', status: 'False', reason: 'Error', message: 'template fails' },
        { type: 'Ready', status: 'False', message: 'NotReady(1) [Cluster a/b]' },
      ]),
    })
    .map((one) => ({
      metadata: { ...place, generation: 3, uid: one.uid, labels: one.labels, ...one.dying },
      spec: { targets: one.targets, helm: { values: { number: one.chartValue } } },
      status: { conditions: one.conditions, observedGeneration: 2, maxUnavailable: 1 },
    }));

/** Random Clusters. */
export const cluster: Objects = (place) =>
  fc
    .record({
      env: fc.constantFrom('prod', 'dev'),
      dying,
      namespace: fc.constantFrom(namespaceOf(place), namespaceOf(place), '', SHARED_NAMESPACE),
      lastSeen: fc.constantFrom<JsonValue[]>(SEEN, SEEN, SILENT_SINCE, null),
    })
    .map((one) => ({
      metadata: { ...place, labels: { env: one.env }, ...one.dying },
      status: { namespace: one.namespace, agent: { lastSeen: one.lastSeen } },
    }));

/** Random ClusterGroups. */
export const clusterGroup: Objects = (place) =>
  fc
    .constantFrom<JsonValue[]>({}, { matchLabels: { env: 'prod' } }, null, 'env=prod')
    .map((selector) => ({ metadata: { ...place }, spec: { selector } }));

/** Random GitRepos. */
export const gitRepo: Objects = (place) =>
  fc
    .record({
      dying,
      repo: fc.constantFrom('https://git.example.com/app', 'https://git.example.com/app', ''),
      gitJobStatus: fc.constantFrom('', 'Current', 'InProgress', 'Failed'),
      conditions: conditions(
        [{ type: 'Accepted', status: 'True' }],
        [{ type: 'GitPolling', status: 'False', message: 'no such host' }],
        [{ type: 'Stalled', status: 'True', message: 'no kustomization' }],
        [{ type: 'Truncated', status: 'True' }],
      ),
    })
    .map((one) => ({
      metadata: { ...place, ...one.dying },
      spec: { repo: one.repo },
      status: { conditions: one.conditions, gitJobStatus: one.gitJobStatus },
    }));

/** Random HelmOps. */
export const helmOp: Objects = (place) =>
  conditions([
    { type: 'Polled', status: 'True' },
    { type: 'Polled', status: 'False', message: 'no such chart' },
  ]).map((list) => ({ metadata: { ...place }, status: { conditions: list } }));

/** Random Jobs. */
export const job: Objects = (place) =>
  fc
    .record({
      owner: fc.constantFrom<JsonValue[]>(
        [{ kind: 'GitRepo', name: 'r0' }],
        [{ kind: 'GitRepo', name: 'r1' }],
        [{ kind: 'CronJob', name: 'r0' }],
        [],
      ),
      made: fc.constantFrom('2026-11-21T10:00:00Z', '2026-11-21T11:00:00Z'),
      status: fc.constantFrom<JsonObject[]>(
        {},
        { startTime: SEEN, active: 1 },
        { conditions: [{ type: 'Complete', status: 'True' }] },
        { conditions: [{ type: 'Failed', status: 'True' }] },
        { startTime: SEEN, active: 1, conditions: [{ type: 'Suspended', status: 'True' }] },
      ),
    })
    .map((one) => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { ...place, creationTimestamp: one.made, ownerReferences: one.owner },
      status: one.status,
    }));

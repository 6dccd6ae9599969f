import fc from 'fast-check';
import { BUNDLE_STATES, type BundleState } from '#shared/core/fleet/bundle-state.ts';
import { FLEET_LABELS } from '#shared/core/fleet-object.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { type Objects, sourceLabels, uids } from './fleet-objects.ts';
import { CLUSTERS, NAMESPACE, namespaceOf, type Place } from './fleet-places.ts';

/** Holds the state that a BundleDeployment is made to have, for a count that does not work it out. */
export const STATE_ANNOTATION = 'test/state';

const STATES = BUNDLE_STATES.filter((state) => state !== 'Pending');
const WEB = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'config' };
const APPLIED = { ready: true, nonModified: true, appliedDeploymentID: 's-2:o' };

interface Made {
  readonly spec: JsonObject;
  readonly status: JsonObject;
}

function made(status: JsonObject, staged = 's-2:o'): Made {
  return { spec: { deploymentID: 's-2:o', stagedDeploymentID: staged }, status };
}

const BY_STATE: Readonly<Record<(typeof STATES)[number], readonly Made[]>> = {
  Ready: [made(APPLIED)],
  NotReady: [
    made({ ...APPLIED, ready: false }),
    made({
      ...APPLIED,
      ready: false,
      nonReadyStatus: [{ ...WEB, summary: { state: 'updating', transitioning: true } }],
    }),
  ],
  Modified: [
    made({
      ...APPLIED,
      nonModified: false,
      modifiedStatus: [{ ...CONFIG, patch: '{"data":{}}' }],
      incompleteState: true,
    }),
  ],
  OutOfSync: [made(APPLIED, 's-3:o')],
  WaitApplied: [
    made({ ...APPLIED, appliedDeploymentID: 's-1:o' }),
    made({
      ...APPLIED,
      appliedDeploymentID: 's-1:o',
      conditions: [
        {
          type: 'Deployed',
          status: 'False',
          message: 'dependent bundle(s) are not ready: [b0]',
        },
      ],
    }),
  ],
  ErrApplied: [
    made({
      ...APPLIED,
      appliedDeploymentID: 's-1:o',
      conditions: [{ type: 'Deployed', status: 'False', message: 'boom' }],
    }),
  ],
};

const cases: fc.Arbitrary<Made & { readonly state: BundleState }> = fc
  .constantFrom(...STATES)
  .chain((state) => fc.constantFrom(...BY_STATE[state]).map((one) => ({ ...one, state })));

function clusterLabels(place: Place): JsonObject {
  return {
    [FLEET_LABELS.cluster]: place.name,
    [FLEET_LABELS.clusterNamespace]: place.namespace,
  };
}

/** Labels of its own Cluster most of the time, else of none or of another one. */
function clusterOf(place: Place): fc.Arbitrary<JsonObject> {
  const own = CLUSTERS.find((one) => namespaceOf(one) === place.namespace);
  const labels = own === undefined ? {} : clusterLabels(own);
  return fc.oneof(
    { weight: 5, arbitrary: fc.constant(labels) },
    { weight: 2, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.constantFrom(...CLUSTERS).map(clusterLabels) },
  );
}

/** Random BundleDeployments: mostly of the Bundle with their name. */
export const bundleDeployment: Objects = (place) =>
  fc
    .record({
      ...{ uid: uids, source: sourceLabels, cluster: clusterOf(place), one: cases },
      bundle: fc.constantFrom(place.name, place.name, place.name, 'b0', undefined),
      ready: fc.nat(2),
      resources: fc.subarray([WEB, CONFIG]),
    })
    .map(({ uid, source, cluster, one, bundle, ready, resources }) => ({
      metadata: {
        ...place,
        uid,
        labels: {
          ...source,
          ...cluster,
          ...(bundle === undefined ? {} : { [FLEET_LABELS.bundle]: bundle }),
          [FLEET_LABELS.bundleNamespace]: NAMESPACE,
        },
        annotations: { [STATE_ANNOTATION]: one.state },
      },
      spec: one.spec,
      status: { ...one.status, resources, resourceCounts: { ready, desiredReady: 2 } },
    }));

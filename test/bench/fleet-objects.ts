import type { FleetObject } from '#shared/core/desired/fleet-targets.ts';
import type { JsonObject } from '#shared/core/json.ts';

const API_VERSION = 'fleet.cattle.io/v1alpha1';
const NAMESPACE = 'fleet-default';
const DEPLOYMENT_ID = 's-3f1e9d0c:7c2d';

function namespaceOf(cluster: number): string {
  return `cluster-fleet-default-downstream-${cluster}-1a2b3c4d5e6f`;
}

function change(kind: string, object: JsonObject): FleetObject {
  const metadata = object['metadata'] as { readonly namespace: string; readonly name: string };
  const { namespace, name } = metadata;
  return { kind, namespace, name, object: { apiVersion: API_VERSION, kind, ...object } };
}

function resourcesOf(bundle: number): readonly JsonObject[] {
  const place = { namespace: `app-${bundle}`, name: `app-${bundle}` };
  return [
    { apiVersion: 'apps/v1', kind: 'Deployment', ...place },
    { apiVersion: 'v1', kind: 'Service', ...place },
    { apiVersion: 'v1', kind: 'ConfigMap', ...place },
  ];
}

/** The BundleDeployment of a Bundle in a Cluster, with three resources. */
export function bundleDeployment(bundle: number, cluster: number, ready: boolean): FleetObject {
  const resources = resourcesOf(bundle);
  const notReady = {
    ...resources[0],
    uid: `d-${bundle}-${cluster}`,
    summary: { state: 'in-progress', transitioning: true, message: ['Available: 0/1'] },
  };
  return change('BundleDeployment', {
    metadata: {
      namespace: namespaceOf(cluster),
      name: `repo-app-${bundle}`,
      uid: `u-${bundle}-${cluster}`,
      labels: {
        'fleet.cattle.io/bundle-name': `repo-app-${bundle}`,
        'fleet.cattle.io/bundle-namespace': NAMESPACE,
        'fleet.cattle.io/repo-name': 'repo',
        'fleet.cattle.io/cluster': `downstream-${cluster}`,
        'fleet.cattle.io/cluster-namespace': NAMESPACE,
      },
    },
    spec: { deploymentID: DEPLOYMENT_ID, stagedDeploymentID: DEPLOYMENT_ID },
    status: {
      appliedDeploymentID: DEPLOYMENT_ID,
      ready,
      nonModified: true,
      resources,
      ...(ready ? {} : { nonReadyStatus: [notReady] }),
      resourceCounts: {
        ready: ready ? 3 : 2,
        desiredReady: 3,
        waitApplied: 0,
        modified: 0,
        orphaned: 0,
        missing: 0,
        unknown: 0,
        notReady: ready ? 0 : 1,
      },
    },
  });
}

/** Everything of a GitRepo with so many Bundles in so many Clusters; every seventh deployment is not ready. */
export function fleetOf(bundles: number, clusters: number): readonly FleetObject[] {
  const labels = { env: 'prod' };
  const targets = [{ clusterSelector: { matchLabels: labels } }];
  const changes = [
    change('GitRepo', {
      metadata: { namespace: NAMESPACE, name: 'repo', generation: 1 },
      spec: { repo: 'https://git.example.com/repo' },
      status: { gitJobStatus: 'Current', commit: '9d2f6f1c0f4f' },
    }),
    change('ClusterGroup', {
      metadata: { namespace: NAMESPACE, name: 'all' },
      spec: { selector: {} },
    }),
  ];
  for (let bundle = 0; bundle < bundles; bundle += 1)
    changes.push(
      change('Bundle', {
        metadata: {
          namespace: NAMESPACE,
          name: `repo-app-${bundle}`,
          generation: 1,
          labels: { 'fleet.cattle.io/repo-name': 'repo' },
        },
        spec: { targets },
      }),
    );
  for (let cluster = 0; cluster < clusters; cluster += 1) {
    changes.push(
      change('Cluster', {
        metadata: { namespace: NAMESPACE, name: `downstream-${cluster}`, labels },
        status: {
          namespace: namespaceOf(cluster),
          agent: { lastSeen: '2026-11-21T11:55:00Z', namespace: 'cattle-fleet-system' },
        },
      }),
    );
    for (let bundle = 0; bundle < bundles; bundle += 1)
      changes.push(bundleDeployment(bundle, cluster, (bundle + cluster) % 7 !== 0));
  }
  return changes;
}

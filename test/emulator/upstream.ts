import { FLEET_GROUP, FLEET_VERSION } from '#shared/core/fleet-object.ts';
import { at, type JsonValue } from '#shared/core/json.ts';
import { DEFINITIONS } from '#test/unit/fleet/fixtures/definitions.ts';
import { bundle, cluster, gitRepo } from '#test/unit/fleet/fixtures/objects.ts';
import { NAMESPACE } from '#test/unit/fleet/fixtures/parts.ts';
import { type DeployedState, deploymentIn } from '#test/unit/fleet/fixtures/states.ts';
import type { Emulator } from './emulator.ts';
import { type Reachable, startReachable } from './reachable.ts';

/** Starts a management cluster of Fleet: a GitRepo and its Bundle, both named shop, that are for the Cluster c1. */
export async function startUpstream(name: string, emulator: Emulator): Promise<Reachable> {
  const upstream = await startReachable(name, emulator);
  const { simulated } = upstream.cluster;
  const agent = { lastSeen: new Date().toISOString(), namespace: 'cattle-fleet-system' };
  for (const object of [...DEFINITIONS, gitRepo(), bundle(), cluster({ status: { agent } })])
    simulated.apply(object);
  return upstream;
}

/** The agent of c1 tells how the Bundle is there. */
export function tell({ cluster: { simulated } }: Reachable, state: DeployedState): void {
  simulated.apply(deploymentIn(state));
}

/** `status.display` of the Bundle, the GitRepo and the Cluster. */
export async function displaysIn({
  cluster: { api },
}: Reachable): Promise<readonly (JsonValue | undefined)[]> {
  const displayOf = async (resource: string, name: string): Promise<JsonValue | undefined> => {
    const kind = { group: FLEET_GROUP, version: FLEET_VERSION, resource };
    const object = await api.get({ ...kind, namespace: NAMESPACE, name });
    return at(object, 'status', 'display');
  };
  return Promise.all([
    displayOf('bundles', 'shop'),
    displayOf('gitrepos', 'shop'),
    displayOf('clusters', 'c1'),
  ]);
}

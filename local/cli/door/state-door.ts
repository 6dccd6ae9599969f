import { openStateFile } from '#local/cli/state-file.ts';
import { bundleDeploymentStatuses } from '#shared/api/bundle-deployments.ts';
import { any } from '#shared/api/resources.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { createFleetSource } from '#shared/state/fleet/fleet-source.ts';
import { readSourceHeartbeats } from '#shared/state/heartbeats.ts';
import { createStatusSource } from '#shared/state/status-source/status-source.ts';
import { createApiDoor } from './api-door.ts';
import type { Door } from './door.ts';
import { oneWds } from './one-wds.ts';

/** What is read of which state file. */
export interface StateDoorOptions {
  /** The path of the file. */
  readonly state: string;
  /** Default: the only one. */
  readonly wds?: string;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** The management cluster of Fleet, if the table knows one and no WDS. */
async function onlyUpstream(store: ItemStore): Promise<string | undefined> {
  const [wds] = await readSourceHeartbeats(store, 'wds');
  if (wds !== undefined) return undefined;
  const [upstream, other] = await readSourceHeartbeats(store, 'fleet');
  return other === undefined ? upstream?.name : undefined;
}

/**
 * Opens a door to the state file of `starfold start`, which may run meanwhile: to what WECs report in a WDS, or, of
 * `starfold start --fleet`, to BundleDeployments. Nothing is written.
 *
 * @throws InputError if there is no such file, if it cannot be used, or if it is not clear which WDS is read
 */
export async function openStateDoor({ state, wds, clock }: StateDoorOptions): Promise<Door> {
  const { store, close } = openStateFile(state);
  try {
    const common = { name: state, clock, watch: false, close };
    const upstream = wds === undefined ? await onlyUpstream(store) : undefined;
    if (upstream !== undefined) {
      const source = createFleetSource({ store, upstream, clock });
      return createApiDoor({
        ...common,
        source,
        resources: [any(bundleDeploymentStatuses(source))],
      });
    }
    const source = createStatusSource({ store, wds: await oneWds(store, wds, state), clock });
    return createApiDoor({ ...common, source });
  } catch (error) {
    close();
    throw error;
  }
}

import { createServeApi } from '#functions/serve-api/lambda.ts';
import { StatusRequests } from '#local/api/status-server.ts';
import { type ApiServer, startApiServer } from '#local/stack/api-server.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { StatusApi } from '#shared/api/api.ts';
import { bundleDeploymentStatuses } from '#shared/api/bundle-deployments.ts';
import { ANYBODY, OPEN_WDS } from '#shared/api/open-wds.ts';
import { any } from '#shared/api/resources.ts';
import { sleep } from '#shared/concurrency.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { Observability } from '#shared/runtime/batch.ts';
import { observabilityOf } from '#shared/runtime/observability.ts';
import { allDifferences, countDifferences } from '#shared/state/fleet/differences.ts';
import type { FleetSource } from '#shared/state/fleet/fleet-source.ts';
import { differingText } from './fleet-line.ts';
import { apiFault, fleetFault, fleetState, listensAt } from './messages.ts';
import type { Monitor } from './monitor.ts';
import type { Output } from './output.ts';
import type { FleetPlan } from './plan.ts';

const EVERY_MS = 2_000;

/** Where a user is informed about Fleet. */
interface Outputs {
  readonly monitor: Pick<Monitor, 'fleetDiffers' | 'message'>;
  readonly output: Pick<Output, 'say'>;
}

/** How the stored state of Fleet is shown. */
export interface FleetWatchOptions extends Outputs {
  /** The state file, which the stack has opened. */
  readonly file: string;
  /** The BundleDeployments of the management cluster. */
  readonly source: FleetSource;
  readonly observability: Observability;
}

/** The running watch, and the URL of the API, or `undefined` if the API is not served. */
export interface FleetWatch {
  readonly url: string | undefined;
  stop(): Promise<void>;
}

/** The number of statuses that the API server has rejected. Entries of an earlier compare are not counted. */
async function countRefused(store: ItemStore, upstream: string): Promise<number> {
  let count = 0;
  for await (const { refused } of allDifferences(store, upstream))
    if (refused !== undefined) count += 1;
  return count;
}

/** Repeatedly counts the objects that differ or, with `write`, are rejected, until the signal aborts. */
async function countAgain(
  { cluster, mode }: FleetPlan,
  store: ItemStore,
  { monitor, output, signal }: Outputs & { readonly signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    try {
      const count = mode === 'write' ? countRefused : countDifferences;
      const differing = await count(store, cluster.name);
      monitor.fleetDiffers(differing);
      output.say(`${cluster.name} Fleet`, fleetState(mode, differingText({ mode, differing })));
    } catch (error) {
      monitor.message(fleetFault(error));
    }
    await sleep(EVERY_MS, signal);
  }
}

/** The paths of the HTTP API about Fleet. Everything else is the API of Kubernetes. */
const HTTP_API = '/v1/';

async function serve(
  address: NonNullable<FleetPlan['api']>,
  store: ItemStore,
  { source, observability, monitor }: FleetWatchOptions,
): Promise<ApiServer> {
  const own = observabilityOf(observability, 'serve-api').observability;
  const onError = (error: unknown): void => monitor.message(apiFault(String(error)));
  const api = new StatusApi({
    source,
    resources: [any(bundleDeploymentStatuses(source))],
    wds: OPEN_WDS,
    now: Date.now,
    watch: true,
    onError,
  });
  const protection = { type: 'own-machine', user: ANYBODY } as const;
  const requests = new StatusRequests({ api, protection, onError });
  const server = await startApiServer({
    ...address,
    handler: createServeApi({ store }, own),
    besides: (request, response) => {
      if (request.url?.startsWith(HTTP_API) === true) return false;
      void requests.serve(request, response);
      return true;
    },
    onError,
  });
  const stop = async (): Promise<void> => {
    api.close();
    await server.stop();
  };
  return { ...server, stop };
}

/**
 * Shows a user how many objects of Fleet differ, and serves the API if this is planned. It reads the state file in
 * addition to the stack.
 *
 * @throws ApiServerError if it cannot listen at the address; DatabaseFileError
 */
export async function startFleetWatch(
  plan: FleetPlan,
  options: FleetWatchOptions,
): Promise<FleetWatch> {
  const database = openSqliteDatabase(options.file, { readOnly: true });
  const store = createSqliteItemStore(database);
  const stopping = new AbortController();
  try {
    const server = plan.api === undefined ? undefined : await serve(plan.api, store, options);
    if (server !== undefined) options.output.say('API', listensAt(server.url));
    const counting = countAgain(plan, store, { ...options, signal: stopping.signal });
    return {
      url: server?.url,
      stop: async () => {
        stopping.abort();
        await server?.stop();
        await counting;
        database.close();
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

import type { KubeConfig } from '@kubernetes/client-node';
import { type Protection, type StatusServer, startStatusServer } from '#local/api/status-server.ts';
import { openWdsUsers } from '#local/api/wds-users.ts';
import { clusterUpstream, userUpstream } from '#local/console/cluster-upstream.ts';
import { PageApi } from '#local/console/page-api.ts';
import {
  namedPage,
  type PageFiles,
  PageNotBuiltError,
  readPageFiles,
} from '#local/console/page-files.ts';
import type { Upstream } from '#local/console/upstream.ts';
import { addressFault } from '#local/intake/address-error.ts';
import type { StackCluster } from '#local/stack/stack-options.ts';
import { StatusApi } from '#shared/api/api.ts';
import type { ApiRequest, ServedApi } from '#shared/api/api-request.ts';
import { createFailure } from '#shared/api/failure.ts';
import { ANYBODY, OPEN_WDS } from '#shared/api/open-wds.ts';
import { StatusError } from '#shared/api/status-error.ts';
import { AppError, messageOf } from '#shared/errors.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import type { QueryRunner } from '#shared/ports/query-runner.ts';
import type { StatusSource } from '#shared/ports/status-source.ts';
import { apiFault, CERTIFICATE_IN_USE, NO_USER_TOKEN, pageNotServed } from './messages.ts';
import type { Monitor } from './monitor.ts';
import type { Output } from './output.ts';
import type { StatusApiPlan } from './plan-status-api.ts';

/** The API cannot be served at the requested address. The message names the address, the problem and the remedy. */
export class StatusApiError extends AppError {
  override readonly name = 'StatusApiError';
  readonly code = 'status-api';
  readonly retryable = false;
}

/** What the API is served from, and where a user is informed. */
export interface StatusApiParts {
  readonly source: StatusSource;
  readonly queries: QueryRunner;
  readonly wds: StackCluster;
  /** Its current context is the WDS. */
  readonly wdsConfig: KubeConfig;
  readonly monitor: Pick<Monitor, 'problem' | 'message'>;
  readonly output: Pick<Output, 'say'>;
  /** Reads the page. Default: the built one. */
  readonly readPage?: () => PageFiles;
}

/** The API, and whether a page is served beside it. */
export interface ServedStatusApi extends StatusServer {
  readonly hasPage: boolean;
}

interface Door {
  readonly wds: Pick<ObjectApi, 'create'>;
  readonly protection: Protection;
  /** The API, and what else is read at its address. */
  served(statuses: ServedApi): ServedApi;
  close(): void;
}

/** The page, which is missing if it is not built: the demo goes on without it. */
function builtPage(
  read: () => PageFiles,
  { output, wds }: Pick<StatusApiParts, 'output' | 'wds'>,
): { readonly page?: PageFiles } {
  try {
    return { page: namedPage(read(), wds.name) };
  } catch (error) {
    if (!(error instanceof PageNotBuiltError)) throw error;
    output.say('page', pageNotServed(error.message));
    return {};
  }
}

/** What a request of the page asks the WDS, with the token of its user: Starfold has other rights there than the user. */
function wdsOfUser(wdsConfig: KubeConfig, { token }: ApiRequest): Upstream {
  if (token !== undefined) return userUpstream(wdsConfig, token);
  throw new StatusError({ code: 403, reason: 'Forbidden' }, NO_USER_TOKEN);
}

async function openDoor(
  { tls, page }: StatusApiPlan,
  { wds, wdsConfig, monitor, output, readPage = readPageFiles }: StatusApiParts,
  onError: (error: unknown) => void,
): Promise<Door> {
  const failure = createFailure(onError);
  // A simulated API server asks nobody who they are.
  if (tls === undefined) {
    const upstream = clusterUpstream(wdsConfig);
    return {
      wds: OPEN_WDS,
      protection: { type: 'own-machine', user: ANYBODY, ...builtPage(readPage, { output, wds }) },
      served: (statuses) => new PageApi({ statuses, wds: () => upstream, failure }),
      close: () => undefined,
    };
  }
  const files = page === true ? namedPage(readPage(), wds.name) : undefined;
  const users = await openWdsUsers({ wds: wds.api, onError });
  const onCertificateFault = (fault: string | undefined): void => {
    monitor.problem('API certificate', fault);
    output.say('API certificate', fault ?? CERTIFICATE_IN_USE);
  };
  const { authenticate, authorities } = users;
  const protection = {
    type: 'tls',
    files: tls,
    authenticate,
    authorities,
    onCertificateFault,
    ...(files === undefined ? {} : { page: files }),
  } as const;
  return {
    wds: wds.api,
    protection,
    served: (statuses) =>
      files === undefined
        ? statuses
        : new PageApi({ statuses, wds: (request) => wdsOfUser(wdsConfig, request), failure }),
    close: () => users.stop(),
  };
}

/**
 * Serves what each WEC reports, as an API of Kubernetes.
 *
 * @throws StatusApiError if it cannot listen at the address; PageNotBuiltError if the page is asked for and not built; IntakeError if
 * certificate or key cannot be used
 */
export async function serveStatusApi(
  plan: StatusApiPlan,
  parts: StatusApiParts,
): Promise<ServedStatusApi> {
  const { host, port } = plan;
  const onError = (error: unknown): void => parts.monitor.message(apiFault(messageOf(error)));
  const door = await openDoor(plan, parts, onError);
  const statuses = new StatusApi({
    source: parts.source,
    queries: parts.queries,
    wds: door.wds,
    now: Date.now,
    watch: true,
    onError,
  });
  const { protection } = door;
  const api = door.served(statuses);
  try {
    const server = await startStatusServer({ host, port, api, protection, onError });
    const stop = async (): Promise<void> => {
      door.close();
      await server.stop();
    };
    const hasPage = protection.type === 'own-machine' && protection.page !== undefined;
    return { ...server, stop, hasPage };
  } catch (error) {
    door.close();
    if (error instanceof AppError) throw error;
    throw new StatusApiError(addressFault({ host, port }, '--api', error), { cause: error });
  }
}

/**
 * The same, at the port of the last time if any port will do and that one is still free: an open page, and whoever watches, go on
 * after a restart.
 *
 * @param former the port of the last time. 0 if there is none
 */
export async function serveStatusApiAgain(
  plan: StatusApiPlan,
  former: number,
  parts: StatusApiParts,
): Promise<ServedStatusApi> {
  if (plan.port !== 0 || former === 0) return serveStatusApi(plan, parts);
  try {
    return await serveStatusApi({ ...plan, port: former }, parts);
  } catch (error) {
    if (!(error instanceof StatusApiError)) throw error;
    return serveStatusApi(plan, parts);
  }
}

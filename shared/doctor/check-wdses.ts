import * as z from 'zod/mini';
import type { BoundObject } from '#shared/core/binding/binding.ts';
import {
  AGGREGATED_RESOURCES,
  FLEET_GROUP,
  FLEET_MODES,
  type FleetMode,
} from '#shared/core/fleet-object.ts';
import { at, member } from '#shared/core/json.ts';
import { CONTROL_GROUP, REPORT_NAMESPACE } from '#shared/core/kubestellar.ts';
import { isBuiltInGroup } from '#shared/core/schema/built-in-kinds.ts';
import {
  ApiForbiddenError,
  AppError,
  FLEET_CLUSTER,
  StoreUnavailableError,
  WDS_CLUSTER,
  WdsCredentialsError,
} from '#shared/errors.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { readObserved } from '#shared/state/observed.ts';
import { reportedBindings } from '#shared/state/reported-bindings.ts';
import { takenBy, WRITER_LEASE, type Writer } from './writer-mark.ts';

/** The payload of an invocation of write-results for {@link checkWdses}. */
export const CHECK_WDSES = { task: 'check-wdses' } as const;

const found = {
  reachable: z.boolean(),
  error: z.optional(z.string()),
  cause: z.optional(z.enum(['kubeconfig', 'denied', 'silence'])),
  missing: z.array(z.string()),
  taken: z.optional(z.string()),
};
const clusterCheck = z.union([
  z.object({ ...found, wds: z.string() }),
  z.object({ ...found, upstream: z.string(), mode: z.enum(FLEET_MODES) }),
]);

/** The findings for a cluster. */
interface Found {
  /** Whether its API server answered, even if only with an error. */
  readonly reachable: boolean;
  /** Why there are no further findings: no answer, rejected credentials, no usable kubeconfig. Contains no secret. */
  readonly error?: string;
  /**
   * Where the cause is: the kubeconfig (it cannot be read or used, or the cluster rejects its credentials), the permissions of
   * its user, or the API server, which does not answer.
   */
  readonly cause?: 'kubeconfig' | 'denied' | 'silence';
  /** The permissions that the writer needs and does not have, as verb and resource: `patch deployments.apps/status`. */
  readonly missing: readonly string[];
  /** The other installation that writes the cluster, and how to take over. Absent if there is none. */
  readonly taken?: string;
}

/** The findings for a WDS. */
export interface WdsCheck extends Found {
  readonly wds: string;
}

/** The findings for a management cluster of Fleet. */
interface UpstreamCheck extends Found {
  readonly upstream: string;
  /** What Starfold does there. The permissions that the writer needs depend on it. */
  readonly mode: FleetMode;
}

/** The findings for a cluster that the writer connects to. */
export type ClusterCheck = WdsCheck | UpstreamCheck;

/** What the check needs from outside. */
export interface CheckWdsesDeps {
  readonly store: ItemStore;
  /** This installation, with which the clusters are marked. */
  readonly self: Writer;
  /** The names of the configured WDSes. */
  readonly wdses: readonly string[];
  /** Returns the API server of a WDS. Throws UnknownWdsError for a name that is not configured. */
  readonly wds: (name: string) => Pick<ObjectApi, 'get' | 'create'>;
  /** The names of the configured management clusters of Fleet. */
  readonly upstreams: readonly string[];
  /** Returns a management cluster. */
  readonly fleet: (upstream: string) => {
    readonly api: Pick<ObjectApi, 'get' | 'create'>;
    readonly mode: FleetMode;
  };
}

type CheckedApi = ReturnType<CheckWdsesDeps['wds']>;
type ReviewingApi = Pick<CheckedApi, 'create'>;

/**
 * Follows an entry of `missing` that not every such kind needs. If a kind has no status subresource, such as a Workflow of
 * Argo, its status is patched as content. Only discovery would show that, and the writer does not need discovery otherwise.
 */
export const IF_SUBRESOURCE = ' (if the kind has a status subresource)';

interface Kind {
  readonly group: string;
  readonly resource: string;
}

interface Access extends Kind {
  readonly verb: string;
  readonly subresource?: string;
  /** Default: every namespace. */
  readonly namespace?: string;
  /** Default: every name. */
  readonly name?: string;
}

interface BoundKind extends Kind {
  /** Whether a Binding requests that the status is written into the object itself. */
  readonly wantsStatus: boolean;
}

const REPORT_NAMESPACE_REF = {
  group: '',
  version: 'v1',
  resource: 'namespaces',
  namespace: '',
  name: REPORT_NAMESPACE,
} as const;
const REVIEWS_AT_ONCE = 10;

/** What the writer does with KubeStellar's own objects, independent of Bindings. */
const OWN: readonly Access[] = [
  ...['get', 'create', 'update', 'delete'].map((verb) => ({
    verb,
    group: CONTROL_GROUP,
    resource: 'combinedstatuses',
  })),
  ...['bindings', 'bindingpolicies', 'statuscollectors'].flatMap((resource) => [
    { verb: 'get', group: CONTROL_GROUP, resource },
    { verb: 'patch', group: CONTROL_GROUP, resource, subresource: 'status' },
  ]),
  { verb: 'get', group: '', resource: 'namespaces' },
];
const GET_NAMESPACES = 'get namespaces';

/** The mark of a cluster that Starfold writes. */
const { group, resource, namespace, name } = WRITER_LEASE;
const READ_MARK: Access = { verb: 'get', group, resource, namespace, name };
const MARK: readonly Access[] = [READ_MARK, { verb: 'create', group, resource, namespace }];

function kindName({ group, resource }: Kind): string {
  return group === '' ? resource : `${resource}.${group}`;
}

function titleOf(access: Access): string {
  const { verb, group, subresource, namespace } = access;
  const kind = `${verb} ${kindName(access)}`;
  if (subresource === undefined) return namespace === undefined ? kind : `${kind} in ${namespace}`;
  const isCertain = group === CONTROL_GROUP || group === FLEET_GROUP || isBuiltInGroup(group);
  return `${kind}/${subresource}${isCertain ? '' : IF_SUBRESOURCE}`;
}

/** Reads the objects that the Bindings of a WDS name, as record-events stored them. */
async function* boundObjects(store: ItemStore, wds: string): AsyncGenerator<BoundObject> {
  for await (const keys of reportedBindings(store, wds))
    for (const binding of await readObserved(store, keys)) {
      // record-events stores the workload that it read from a Binding.
      const objects = member(binding?.content, 'objects') as readonly BoundObject[] | undefined;
      yield* objects ?? [];
    }
}

/** The kinds that the Bindings of a WDS name, each once, sorted. */
async function boundKinds(store: ItemStore, wds: string): Promise<readonly BoundKind[]> {
  const kinds = new Map<string, BoundKind>();
  for await (const { group, resource, modulation } of boundObjects(store, wds)) {
    const name = kindName({ group, resource });
    const wanted = modulation.wantSingletonReportedState || modulation.wantMultiWECReportedState;
    const wantsStatus = wanted || kinds.get(name)?.wantsStatus === true;
    kinds.set(name, { group, resource, wantsStatus });
  }
  return [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);
}

/** What the writer does with workload objects. It only reads and labels objects whose status is requested. */
function accessesTo({ group, resource, wantsStatus }: BoundKind): readonly Access[] {
  if (!wantsStatus) return [];
  const get = { verb: 'get', group, resource };
  const patch = { verb: 'patch', group, resource };
  return [get, patch, { ...patch, subresource: 'status' }];
}

/** Whether the API server allows this user to do something in a namespace, or in every one (SelfSubjectAccessReview). */
async function isAllowed(api: ReviewingApi, access: Access): Promise<boolean> {
  const ref = {
    group: 'authorization.k8s.io',
    version: 'v1',
    resource: 'selfsubjectaccessreviews',
    namespace: '',
    name: '',
  };
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { ...access } },
  };
  return at(await api.create(ref, review), 'status', 'allowed') === true;
}

async function missingOf(
  api: ReviewingApi,
  accesses: readonly Access[],
): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let from = 0; from < accesses.length; from += REVIEWS_AT_ONCE) {
    const some = accesses.slice(from, from + REVIEWS_AT_ONCE);
    const allowed = await Promise.all(some.map((access) => isAllowed(api, access)));
    missing.push(...some.filter((_access, index) => allowed[index] !== true).map(titleOf));
  }
  return missing;
}

/** The namespace for CombinedStatuses of cluster-scoped objects is only created if it does not exist. */
async function namespaceAccess(api: CheckedApi): Promise<readonly Access[]> {
  const exists = (await api.get(REPORT_NAMESPACE_REF)) !== undefined;
  return exists ? [] : [{ verb: 'create', group: '', resource: 'namespaces' }];
}

async function missingIn(deps: CheckWdsesDeps, wds: string): Promise<readonly string[]> {
  const api = deps.wds(wds);
  const kinds = await boundKinds(deps.store, wds);
  const missing = await missingOf(api, [...OWN, ...MARK, ...kinds.flatMap(accessesTo)]);
  if (missing.includes(GET_NAMESPACES)) return missing;
  return [...missing, ...(await missingOf(api, await namespaceAccess(api)))];
}

/** An API server that rejects a request has answered, even if it rejects the credentials. */
function isAnswer(error: AppError): boolean {
  return (
    error instanceof ApiForbiddenError ||
    (error instanceof WdsCredentialsError && error.fault === 'unauthenticated')
  );
}

function causeOf(error: AppError): NonNullable<WdsCheck['cause']> {
  if (error instanceof WdsCredentialsError) return 'kubeconfig';
  return error instanceof ApiForbiddenError ? 'denied' : 'silence';
}

/** Finds another installation that writes a cluster. */
async function takenOf(
  api: CheckedApi,
  of: Parameters<typeof takenBy>[1],
): Promise<Pick<Found, 'taken'>> {
  const taken = takenBy(await api.get(WRITER_LEASE), of);
  return taken === undefined ? {} : { taken: taken.message };
}

/** @param taken called if the mark may be read */
async function foundIn(
  missing: () => Promise<readonly string[]>,
  taken: () => Promise<Pick<Found, 'taken'>>,
): Promise<Found> {
  try {
    const found = await missing();
    return {
      reachable: true,
      missing: found,
      ...(found.includes(titleOf(READ_MARK)) ? {} : await taken()),
    };
  } catch (error) {
    const isOfStore = error instanceof StoreUnavailableError;
    if (isOfStore || !(error instanceof AppError)) throw error;
    const { message } = error;
    return { reachable: isAnswer(error), error: message, cause: causeOf(error), missing: [] };
  }
}

async function checkWds(deps: CheckWdsesDeps, wds: string): Promise<WdsCheck> {
  const cluster = `${WDS_CLUSTER.title} ${wds}`;
  const taken = () => takenOf(deps.wds(wds), { cluster, self: deps.self });
  return { wds, ...(await foundIn(() => missingIn(deps, wds), taken)) };
}

/** What the writer does with Fleet's objects. */
function fleetAccesses(mode: FleetMode): readonly Access[] {
  const writes = mode === 'write';
  const own = AGGREGATED_RESOURCES.flatMap((resource): readonly Access[] => {
    const get = { verb: 'get', group: FLEET_GROUP, resource };
    return writes ? [get, { ...get, verb: 'patch', subresource: 'status' }] : [get];
  });
  return writes ? [...own, ...MARK] : own;
}

async function checkUpstream(deps: CheckWdsesDeps, upstream: string): Promise<UpstreamCheck> {
  const { api, mode } = deps.fleet(upstream);
  const cluster = `${FLEET_CLUSTER.title} ${upstream}`;
  const taken = async () => (mode === 'write' ? takenOf(api, { cluster, self: deps.self }) : {});
  const found = await foundIn(() => missingOf(api, fleetAccesses(mode)), taken);
  return { upstream, mode, ...found };
}

/**
 * Checks for each WDS whether it answers, and whether the writer has the permissions that it needs: for KubeStellar's own
 * objects, and for the kinds that the Bindings name. For each management cluster of Fleet, checks the same for Fleet's objects.
 * It only writes SelfSubjectAccessReviews, which API servers do not store.
 */
export function checkWdses(deps: CheckWdsesDeps): Promise<readonly ClusterCheck[]> {
  return Promise.all([
    ...deps.wdses.map((wds) => checkWds(deps, wds)),
    ...deps.upstreams.map((upstream) => checkUpstream(deps, upstream)),
  ]);
}

/**
 * Reads the answer of write-results to {@link CHECK_WDSES}: the list of {@link checkWdses} as JSON.
 *
 * @throws Error if the text is something else.
 */
export function parseWdsChecks(text: string): readonly ClusterCheck[] {
  // The schema describes exactly this type.
  return z.array(clusterCheck).parse(JSON.parse(text)) as readonly ClusterCheck[];
}

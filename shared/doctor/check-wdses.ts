import * as z from 'zod/mini';
import type { BoundObject } from '#shared/core/binding/binding.ts';
import {
  AGGREGATED_RESOURCES,
  FLEET_GROUP,
  FLEET_MODES,
  type FleetMode,
} from '#shared/core/fleet/fleet-object.ts';
import { at, member } from '#shared/core/json.ts';
import { CONTROL_GROUP, REPORT_NAMESPACE } from '#shared/core/kubestellar.ts';
import { isBuiltInGroup } from '#shared/core/schema/built-in-kinds.ts';
import { sourcePartition } from '#shared/core/subject.ts';
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
import { parseReportedKey, range, reportedKey, SORT } from '#shared/state/keys.ts';
import { readObserved } from '#shared/state/observed.ts';
import { pages } from '#shared/state/pages.ts';
import { takenBy, WRITER_LEASE, type Writer } from './writer-mark.ts';

/** The payload with which write-results is invoked for {@link checkWdses}. */
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

/** What was found of a cluster. */
interface Found {
  /** Whether its API server answered, if only to refuse. */
  readonly reachable: boolean;
  /** Why nothing more is known of it: no answer, refused credentials, no usable kubeconfig. Holds no secret. */
  readonly error?: string;
  /**
   * What to look at: its kubeconfig (it cannot be read or used, or its credentials are not known there), what its user is
   * allowed, or its API server, which does not answer.
   */
  readonly cause?: 'kubeconfig' | 'denied' | 'silence';
  /** What the writer needs and may not do, as verb and resource: `patch deployments.apps/status`. */
  readonly missing: readonly string[];
  /** Which other installation writes it, and how to take over; absent: none. */
  readonly taken?: string;
}

/** What was found of a WDS. */
export interface WdsCheck extends Found {
  readonly wds: string;
}

/** What was found of a management cluster of Fleet. */
interface UpstreamCheck extends Found {
  readonly upstream: string;
  /** What is to be done there: what the writer needs goes by it. */
  readonly mode: FleetMode;
}

/** What was found of a cluster that the writer talks to. */
export type ClusterCheck = WdsCheck | UpstreamCheck;

/** What the check needs of the world. */
export interface CheckWdsesDeps {
  readonly store: ItemStore;
  /** Who asks: what the clusters are marked with. */
  readonly self: Writer;
  /** Names of the WDSes that are configured. */
  readonly wdses: readonly string[];
  /** The API server of a WDS; throws UnknownWdsError for a name that is not configured. */
  readonly wds: (name: string) => Pick<ObjectApi, 'get' | 'create'>;
  /** Names of the management clusters of Fleet that are configured. */
  readonly upstreams: readonly string[];
  /** A management cluster. */
  readonly fleet: (upstream: string) => {
    readonly api: Pick<ObjectApi, 'get' | 'create'>;
    readonly mode: FleetMode;
  };
}

type CheckedApi = ReturnType<CheckWdsesDeps['wds']>;
type ReviewingApi = Pick<CheckedApi, 'create'>;

/**
 * Behind an entry of `missing` that not every such kind needs: a kind without a status subresource, such as a Workflow of
 * Argo, has its status patched as content. Only discovery would tell, and the writer has no other use for it.
 */
export const IF_SUBRESOURCE = ' (if the kind has a status subresource)';

interface Kind {
  readonly group: string;
  readonly resource: string;
}

interface Access extends Kind {
  readonly verb: string;
  readonly subresource?: string;
  /** Absent: in every namespace. */
  readonly namespace?: string;
  /** Absent: of every name. */
  readonly name?: string;
}

interface BoundKind extends Kind {
  /** Whether some Binding wants status back into the object itself. */
  readonly wantsStatus: boolean;
}

const REPORT_NAMESPACE_REF = {
  group: '',
  version: 'v1',
  resource: 'namespaces',
  namespace: '',
  name: REPORT_NAMESPACE,
} as const;
const BINDINGS_AT_ONCE = 20;
const REVIEWS_AT_ONCE = 10;

/** What the writer does with KubeStellar's own objects, whatever Bindings name. */
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

/** The mark that a cluster which is written bears. */
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

/** The objects that the Bindings of a WDS name, as record-events stored them. */
async function* boundObjects(store: ItemStore, wds: string): AsyncGenerator<BoundObject> {
  const source = { type: 'wds', name: wds } as const;
  const { sk: prefix } = reportedKey(source, { pk: `B#${wds}/`, sk: '' });
  const entries = range(sourcePartition(source), prefix.slice(0, -'|'.length));
  for await (const items of pages(store, entries)) {
    const keys = items.map(({ sk }) => parseReportedKey(sk)).filter(({ sk }) => sk === SORT.spec);
    for (let from = 0; from < keys.length; from += BINDINGS_AT_ONCE) {
      const found = await readObserved(store, keys.slice(from, from + BINDINGS_AT_ONCE));
      for (const binding of found) {
        // record-events stores what it read of a Binding's workload.
        const objects = member(binding?.content, 'objects') as readonly BoundObject[] | undefined;
        yield* objects ?? [];
      }
    }
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

/** What the writer does with workload objects: it reads and marks those that want status back, and needs no others. */
function accessesTo({ group, resource, wantsStatus }: BoundKind): readonly Access[] {
  if (!wantsStatus) return [];
  const get = { verb: 'get', group, resource };
  const patch = { verb: 'patch', group, resource };
  return [get, patch, { ...patch, subresource: 'status' }];
}

/** Whether the API server would let this user do something in a namespace, or in every one (SelfSubjectAccessReview). */
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

/** The namespace of CombinedStatuses of cluster-scoped objects is made only where it is not there. */
async function namespaceAccess(api: CheckedApi): Promise<readonly Access[]> {
  const stands = (await api.get(REPORT_NAMESPACE_REF)) !== undefined;
  return stands ? [] : [{ verb: 'create', group: '', resource: 'namespaces' }];
}

async function missingIn(deps: CheckWdsesDeps, wds: string): Promise<readonly string[]> {
  const api = deps.wds(wds);
  const kinds = await boundKinds(deps.store, wds);
  const missing = await missingOf(api, [...OWN, ...MARK, ...kinds.flatMap(accessesTo)]);
  if (missing.includes(GET_NAMESPACES)) return missing;
  return [...missing, ...(await missingOf(api, await namespaceAccess(api)))];
}

/** An API server that refuses has answered, also one that does not know the credentials. */
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

/** Which other installation writes a cluster. */
async function takenOf(
  api: CheckedApi,
  of: Parameters<typeof takenBy>[1],
): Promise<Pick<Found, 'taken'>> {
  const taken = takenBy(await api.get(WRITER_LEASE), of);
  return taken === undefined ? {} : { taken: taken.message };
}

/** @param taken asked where the mark may be read */
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
 * Asks each WDS whether it answers and whether the writer may do there what it does: what it does with KubeStellar's own
 * objects, and with the kinds that the Bindings name. Each management cluster of Fleet is asked the same about Fleet's
 * objects. Nothing is written but SelfSubjectAccessReviews, which API servers do not keep.
 */
export function checkWdses(deps: CheckWdsesDeps): Promise<readonly ClusterCheck[]> {
  return Promise.all([
    ...deps.wdses.map((wds) => checkWds(deps, wds)),
    ...deps.upstreams.map((upstream) => checkUpstream(deps, upstream)),
  ]);
}

/**
 * Reads what write-results answers to {@link CHECK_WDSES}: the list of {@link checkWdses} as JSON.
 *
 * @throws Error when the text is something else.
 */
export function parseWdsChecks(text: string): readonly ClusterCheck[] {
  // The schema says exactly what the type says.
  return z.array(clusterCheck).parse(JSON.parse(text)) as readonly ClusterCheck[];
}

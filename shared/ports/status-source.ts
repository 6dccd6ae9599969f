import type { CompiledCollector } from '#shared/core/collector/compiled-collector.ts';
import type { ReportedObject, SilentFor } from '#shared/core/desired/desired-state.ts';
import type { WdsMemberships } from '#shared/core/desired/membership.ts';
import type { StatusSelector } from '#shared/core/status-api/selector.ts';
import type {
  GroupResource,
  WecStatusRef,
  WorkloadName,
} from '#shared/core/status-api/status-name.ts';
import type { QueriedRow, QueriedWorkloads } from '#shared/core/status-api/status-query.ts';
import type { BoundWorkload, Wec, WecStatus } from '#shared/core/status-api/wec-status.ts';

/** The objects that a request is about: those of one namespace, of every namespace, or those without a namespace. */
export type Scope = { readonly namespace: string } | 'all-namespaces' | 'cluster';

/** Where a page begins and how long it is. */
export interface PageRequest {
  /** At most so many items. At least 1. */
  readonly limit: number;
  /** The `next` of the page before. */
  readonly after?: string;
}

/** Some of the items of a list. It may have fewer than were asked for, even none, and still be continued. */
export interface StatusPage<T> {
  readonly items: readonly T[];
  /** Present if there may be more. */
  readonly next?: string;
}

/** A page of the objects of a scope. */
export interface ScopedPageRequest extends PageRequest {
  readonly scope: Scope;
  /** Whether the caller may read workload objects of a resource. Of the others, nothing is read. */
  readable(resource: GroupResource): boolean;
}

/** A page of some workload objects. */
export interface WorkloadsRequest extends ScopedPageRequest {
  /** By the labels and fields of `selectableWorkload`. Absent: all. */
  readonly selector?: StatusSelector;
  /** Only objects that a Binding sends to one of these WECs. Absent: all. */
  readonly wecs?: readonly string[];
}

/** Whether the WDS shows the result of a workload object. */
export interface AppliedState {
  readonly upToDate: boolean;
  /** When the result was applied, RFC 3339. Absent if it is not known. */
  readonly since?: string;
  /** What prevents it. Absent if nothing does, as far as is known. */
  readonly problem?: string;
}

/** All that determines the result of one workload object. */
export interface WorkloadState extends BoundWorkload {
  /** Absent if the WDS has no such object. */
  readonly reported?: ReportedObject;
  /** The Bindings that count for the object. */
  readonly membership: Pick<WdsMemberships, 'memberships'>;
  /** Names of the WECs that have been silent for longer than their limit. */
  readonly silent: ReadonlySet<string>;
  readonly silentFor: SilentFor;
  readonly applied: AppliedState;
  /** What the API server rejected, and why. */
  readonly refused: readonly string[];
}

/** What has changed, with the revision of the last change of it. */
export type Changed = { readonly revision: number } & (
  | { readonly type: 'wec-status'; readonly ref: WecStatusRef }
  /** The object in the WDS or its Bindings: what every WEC reports of it is read again. */
  | { readonly type: 'workload'; readonly workload: WorkloadName }
  /** The result of a workload object, or whether it was applied: of its WECs' statuses nothing is read again. */
  | { readonly type: 'result'; readonly workload: WorkloadName }
  /** All of a WEC, such as that it is silent: what it reports of every object is read again. */
  | { readonly type: 'wec'; readonly wec: string }
  /** A BundleDeployment of Fleet. */
  | { readonly type: 'bundle-deployment'; readonly namespace: string; readonly name: string }
  /** Whether the agent of a Cluster of Fleet (`<namespace>/<name>`) is silent: its BundleDeployments are read again. */
  | { readonly type: 'fleet-cluster'; readonly cluster: string }
);

/** Changes of a {@link StatusSource}, coalesced by name, in the order of their revisions. */
export interface Changes {
  /** The revision up to which these are all. It is that of the last change or a later one. */
  readonly revision: number;
  readonly changed: readonly Changed[];
}

/** Which rows a query is about. */
export interface RowsRequest {
  readonly scope: Scope;
  readonly workloads: QueriedWorkloads;
  /** What is read besides the rows is what it mentions. */
  readonly collector: CompiledCollector;
  /** The position of the row before the first. */
  readonly after?: string;
  /** Whether the caller may read workload objects of a resource. Of the others, nothing is read. */
  readable(resource: GroupResource): boolean;
}

/** Some rows. There may be none. */
export interface RowsBatch {
  readonly rows: readonly QueriedRow[];
  /** Whether there are no more. */
  readonly isLast: boolean;
}

/**
 * Everything that the API reads of ONE WDS. Every read is of the present state, not of a snapshot.
 *
 * Every method may throw `StoreUnavailableError` (retryable).
 */
export interface StatusSource {
  /** What one WEC reports of one workload object. Undefined if no Binding sends the object to the WEC. */
  wecStatus(ref: WecStatusRef, signal?: AbortSignal): Promise<WecStatus | undefined>;
  /**
   * A page in the order of (namespace, `metadata.name`), by code units. The selector is applied exactly. Rows that a requirement
   * of equality on a field, or on a label of Starfold, leaves out are not read.
   *
   * @throws InvalidContinuationError if `after` is no `next` of such a list
   */
  wecStatuses(
    request: ScopedPageRequest & { readonly selector: StatusSelector },
    signal?: AbortSignal,
  ): Promise<StatusPage<WecStatus>>;
  /**
   * The rows of a query in the order of {@link wecStatuses}, as StatusCollectors see them. The next batch is read when it is asked
   * for. Objects that the WDS does not have are left out.
   *
   * @throws InvalidContinuationError if `after` is no position of such rows
   */
  rows(request: RowsRequest, signal?: AbortSignal): AsyncIterable<RowsBatch>;
  /** The resources of the workload objects of a scope that a Binding names. */
  resourcesIn(scope: Scope, signal?: AbortSignal): Promise<readonly GroupResource[]>;
  /**
   * The workload objects that a Binding names, in the order of (namespace, `<resource>[.<group>]:<name>`), by code units. The
   * selector is applied exactly.
   *
   * @throws InvalidContinuationError if `after` is no `next` of such a list
   */
  workloads(request: WorkloadsRequest, signal?: AbortSignal): Promise<StatusPage<BoundWorkload>>;
  /**
   * All that determines the result of one workload object. Undefined if no Binding names it.
   *
   * @throws ReportsTooLargeError if what WECs report of it is too large to be read at once
   */
  workload(workload: WorkloadName, signal?: AbortSignal): Promise<WorkloadState | undefined>;
  /** One WEC. Undefined if there is none of that name. */
  wec(name: string, signal?: AbortSignal): Promise<Wec | undefined>;
  /**
   * A page of the WECs, in the order of their names, by code units. The selector is applied exactly.
   *
   * @throws InvalidContinuationError if `after` is no `next` of such a list
   */
  wecs(
    request: PageRequest & { readonly selector: StatusSelector },
    signal?: AbortSignal,
  ): Promise<StatusPage<Wec>>;
  /** The revision of now: an integer that grows, also over restarts. */
  revision(signal?: AbortSignal): Promise<number>;
  /**
   * What has changed after a revision. Undefined if the changes after it are no longer all known, or if it was never a revision of
   * this source and is older than the first.
   */
  changes(after: number, signal?: AbortSignal): Promise<Changes | undefined>;
  /**
   * Calls a function whenever there may be changes. It may be called without a change, and once for many.
   *
   * @returns ends the subscription
   */
  subscribe(listener: () => void): () => void;
}

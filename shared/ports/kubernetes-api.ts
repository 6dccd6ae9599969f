import type { JsonObject, JsonValue } from '#shared/core/json.ts';

/** The REST resource of a kind in a cluster. */
export interface Resource {
  /** `''` is the core group. */
  readonly group: string;
  readonly version: string;
  /** Lower-case plural name. */
  readonly resource: string;
}

/** One object in a cluster. */
export interface ObjectRef extends Resource {
  /** `''` for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
}

/** A resource, as discovery describes it. */
export interface ResourceInfo extends Resource {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly statusSubresource: boolean;
  /** Further versions in which it can be listed and watched, in the server's order of preference. Absent if there are none. */
  readonly otherVersions?: readonly string[];
}

/** What a cluster serves at some time. */
export interface Discovery {
  /** Every resource that can be listed and watched, in its preferred version. */
  readonly resources: readonly ResourceInfo[];
  /**
   * The groups whose aggregated API server did not answer. Their resources may be served although `resources` does not contain
   * them.
   */
  readonly unanswered: readonly string[];
}

/**
 * Reads and writes single objects of one cluster. Objects are JSON without loss (`shared/core/json.ts`), exactly as the API
 * server sent them.
 *
 * Every method may throw `ApiUnavailableError` (no answer, 5xx, 429: retryable) or `ApiForbiddenError` (401, 403).
 */
export interface ObjectApi {
  /** Reads an object. Returns undefined if it does not exist, or if its resource is not served. */
  get(ref: ObjectRef, signal?: AbortSignal): Promise<JsonObject | undefined>;
  /**
   * Creates the object and returns the stored object.
   *
   * @throws ApiConflictError if it already exists; ApiInvalidError if the API server rejects it (400, 422); ApiNotFoundError if
   * its namespace or resource does not exist.
   */
  create(ref: ObjectRef, object: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
  /**
   * Replaces the object on its `metadata.resourceVersion` and returns the stored object.
   *
   * @throws ApiConflictError if it has changed since; ApiInvalidError; ApiNotFoundError if it was deleted.
   */
  replace(ref: ObjectRef, object: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
  /**
   * Replaces `.status` by exactly this value on this resourceVersion, and returns the stored object. If the resource has a
   * status subresource, that is used.
   *
   * @throws as {@link ObjectApi.replace}.
   */
  replaceStatus(
    ref: ObjectRef,
    change: { readonly resourceVersion: string; readonly status: JsonValue },
    signal?: AbortSignal,
  ): Promise<JsonObject>;
  /**
   * Sets labels (`null` removes one) on this resourceVersion, and returns the stored object.
   *
   * @throws as {@link ObjectApi.replace}.
   */
  patchLabels(
    ref: ObjectRef,
    change: {
      readonly resourceVersion: string;
      readonly labels: Readonly<Record<string, string | null>>;
    },
    signal?: AbortSignal,
  ): Promise<JsonObject>;
  /**
   * Deletes the object if it still has this uid and resourceVersion. If the object does not exist, it counts as deleted.
   *
   * @throws ApiConflictError if it has changed since.
   */
  delete(
    ref: ObjectRef,
    precondition: { readonly uid: string; readonly resourceVersion: string },
    signal?: AbortSignal,
  ): Promise<void>;
}

/** The objects of a resource to read. */
export interface Selection {
  /** A label selector in kubectl's syntax. Default: all objects. */
  readonly labelSelector?: string;
  /**
   * Requests metadata only. Each object is then a `PartialObjectMetadata` of `meta.k8s.io/v1`, which has neither the kind nor
   * the apiVersion of the object that it represents (Kubernetes API concepts, "Metadata-only fetches"). A server that does not
   * support the form returns whole objects, of their own kind. Therefore only rely on `metadata`, and let `reduce` drop the
   * rest.
   */
  readonly metadataOnly?: true;
  /**
   * Applied to each object as soon as its page, or its line of a watch, has been read. Only the result is kept. So of a long
   * list, only one page is in memory in full. If it throws, the list or the watch ends with that error.
   */
  readonly reduce?: (object: JsonObject) => JsonObject;
  /** The maximum number of objects in a page of a list, for kinds with large objects. Default: the adapter's. */
  readonly pageSize?: number;
}

/** All objects of a resource at some time. */
export interface ObjectList {
  /** The position at which a watch continues. */
  readonly resourceVersion: string;
  readonly items: readonly JsonObject[];
}

/**
 * One line of a watch. A bookmark has no object. `resourceVersion` is the position at which a watch continues after it. It is
 * the object's, whatever `reduce` has left of the object. If the server sent none, it is that of the previous line.
 */
export type WatchEvent =
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly resourceVersion: string;
      readonly object: JsonObject;
    }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

/** Reads whole resources of one cluster. Throws the same errors as {@link ObjectApi}. */
export interface ResourceApi {
  /** Reads what the cluster serves. */
  discover(signal?: AbortSignal): Promise<Discovery>;
  /**
   * Reads all objects of a resource, in pages. Each item has `apiVersion` and `kind`, even if the API server left them out.
   *
   * @throws ApiNotFoundError if the resource is not served, or cannot be listed; ResourceExpiredError if a page had expired
   * (410): list again.
   */
  list(resource: Resource, selection: Selection, signal?: AbortSignal): Promise<ObjectList>;
  /**
   * Follows changes after a resourceVersion, with bookmarks. It returns if the server ends the connection or the signal aborts,
   * and throws if the connection breaks.
   *
   * @throws ApiUnavailableError also if the server has sent nothing for so long that the connection counts as dead: watch again
   * from the last version. ResourceExpiredError if that resourceVersion is too old (410, as a status or as an ERROR event):
   * list again.
   */
  watch(
    resource: Resource,
    options: Selection & {
      readonly resourceVersion: string;
      readonly onEvent: (event: WatchEvent) => void;
      /** Called once, after the server has accepted the watch: the server is then known to answer. */
      readonly onOpen?: () => void;
    },
    signal?: AbortSignal,
  ): Promise<void>;
}

import type { JsonObject, JsonValue } from '#shared/core/json.ts';

/** A kind's REST resource in a cluster. */
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

/** What discovery says of a resource. */
export interface ResourceInfo extends Resource {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly statusSubresource: boolean;
  /** Further versions in which it can be listed and watched, in the server's order of preference. Absent: none. */
  readonly otherVersions?: readonly string[];
}

/** What a cluster serves at one moment. */
export interface Discovery {
  /** Every resource that can be listed and watched, in its preferred version. */
  readonly resources: readonly ResourceInfo[];
  /** Groups of which an aggregated API server did not answer: what `resources` lacks of them may be served all the same. */
  readonly unanswered: readonly string[];
}

/**
 * Reading and writing single objects of one cluster. Objects are JSON without loss (`shared/core/json.ts`), exactly as
 * the API server sent them.
 *
 * Every method may throw `ApiUnavailableError` (no answer, 5xx, 429: retryable) or `ApiForbiddenError` (401, 403).
 */
export interface ObjectApi {
  /** The object, or `undefined` where there is none (or its resource is not served). */
  get(ref: ObjectRef, signal?: AbortSignal): Promise<JsonObject | undefined>;
  /**
   * Creates the object and returns it as stored.
   *
   * @throws ApiConflictError when it exists already; ApiInvalidError when the API server refuses it (400, 422);
   *   ApiNotFoundError when its namespace or resource does not exist.
   */
  create(ref: ObjectRef, object: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
  /**
   * Replaces the object on the `metadata.resourceVersion` that it carries and returns it as stored.
   *
   * @throws ApiConflictError when it has changed since; ApiInvalidError; ApiNotFoundError when it is gone.
   */
  replace(ref: ObjectRef, object: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
  /**
   * Makes `.status` exactly this value (through the status subresource where the resource has one) on this
   * resourceVersion, and returns the object as stored.
   *
   * @throws as {@link ObjectApi.replace}.
   */
  replaceStatus(
    ref: ObjectRef,
    change: { readonly resourceVersion: string; readonly status: JsonValue },
    signal?: AbortSignal,
  ): Promise<JsonObject>;
  /**
   * Sets labels (`null` removes one) on this resourceVersion, and returns the object as stored.
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
   * Deletes the object if it still has this uid and resourceVersion; an object that is gone is deleted.
   *
   * @throws ApiConflictError when it has changed since.
   */
  delete(
    ref: ObjectRef,
    precondition: { readonly uid: string; readonly resourceVersion: string },
    signal?: AbortSignal,
  ): Promise<void>;
}

/** Which objects of a resource to read. */
export interface Selection {
  /** Label selector in kubectl's syntax; absent: all. */
  readonly labelSelector?: string;
  /**
   * Asks for metadata alone: each object is then a `PartialObjectMetadata` of `meta.k8s.io/v1`, which tells neither
   * kind nor apiVersion of what it stands for (Kubernetes API concepts, "Metadata-only fetches"). From a server that
   * does not know the form come whole objects, of their own kind: go by `metadata` alone, and let `reduce` drop the rest.
   */
  readonly metadataOnly?: true;
  /**
   * Applied to each object as soon as its page, or its line of a watch, has been read; what it returns is all that is
   * kept. Of a long list only one page stands in full then. What it throws ends the list or the watch with that error.
   */
  readonly reduce?: (object: JsonObject) => JsonObject;
  /** Objects in a page of a list, at most: fewer of a kind whose objects are large. Default: the adapter's. */
  readonly pageSize?: number;
}

/** All objects of a resource at one moment. */
export interface ObjectList {
  /** Where a watch continues. */
  readonly resourceVersion: string;
  readonly items: readonly JsonObject[];
}

/**
 * One line of a watch; a bookmark carries no object. `resourceVersion` is where a watch continues after it: the object's,
 * whatever `reduce` left of that; where the server gave none, that of the line before.
 */
export type WatchEvent =
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly resourceVersion: string;
      readonly object: JsonObject;
    }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

/** Reading whole resources of one cluster. Throws as {@link ObjectApi} does. */
export interface ResourceApi {
  /** What the cluster serves. */
  discover(signal?: AbortSignal): Promise<Discovery>;
  /**
   * All objects of a resource, read in pages; each item carries `apiVersion` and `kind` also where the API server left
   * them out.
   *
   * @throws ApiNotFoundError when the resource is not served, or cannot be listed; ResourceExpiredError when a page had expired (410): list
   *   anew.
   */
  list(resource: Resource, selection: Selection, signal?: AbortSignal): Promise<ObjectList>;
  /**
   * Follows changes after a resourceVersion, with bookmarks, until the server ends the connection (returns), the signal
   * aborts (returns) or it breaks (throws).
   *
   * @throws ApiUnavailableError also when the server has said nothing for so long that it is taken for dead: watch on
   *   from the last version. ResourceExpiredError when that resourceVersion is too old (410, as a status or as an ERROR event):
   *   list anew.
   */
  watch(
    resource: Resource,
    options: Selection & {
      readonly resourceVersion: string;
      readonly onEvent: (event: WatchEvent) => void;
      /** Called once, when the server has accepted the watch: from then on it is known to answer. */
      readonly onOpen?: () => void;
    },
    signal?: AbortSignal,
  ): Promise<void>;
}

import type { JsonObject } from '#shared/core/json.ts';
import type { FieldWords } from '#shared/core/status-api/field-selector-text.ts';
import type { Selectable, StatusSelector } from '#shared/core/status-api/selector.ts';
import type { WorkloadName } from '#shared/core/status-api/status-name.ts';
import type {
  Changed,
  ScopedPageRequest,
  StatusPage,
  StatusSource,
} from '#shared/ports/status-source.ts';

/** How a resource is named in discovery. */
export interface ResourceNames {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly shortNames: readonly string[];
  readonly namespaced: boolean;
}

/** The name of an object in the API. */
export interface ItemName {
  /** `''` for an object without a namespace. */
  readonly namespace: string;
  readonly name: string;
}

/** One column of `kubectl get`. */
export interface Column<T> {
  readonly name: string;
  readonly description: string;
  /** 0: always shown. 1: shown with `-o wide`. */
  readonly priority: 0 | 1;
  /** The cell, as kubectl prints it. */
  cell(item: T, nowMs: number): string;
}

/** The objects of a served resource that a change affects. */
export type Affected =
  /** One object, which may have been added or removed. */
  | { readonly type: 'one'; readonly name: ItemName }
  /** Every object that the selector selects. None has been added or removed. */
  | { readonly type: 'some'; readonly selector: StatusSelector }
  /** Every object whose workload object a Binding sends to one of the WECs. None has been added or removed. */
  | { readonly type: 'sent'; readonly wecs: readonly string[] }
  /**
   * Objects that have not changed, but that a list by one of these fields finds only now. A watch whose selector has none of the
   * fields is not affected.
   */
  | {
      readonly type: 'found';
      readonly fields: readonly string[];
      /** The namespace of the objects, `''` for none. */
      readonly namespace: string;
      readonly selector: StatusSelector;
    }
  /** A family (see {@link ServedResource.familyOf}): the selector selects what it has now. Everything else has been removed. */
  | {
      readonly type: 'family';
      readonly family: string;
      /** The namespace of its objects, `''` for none. */
      readonly namespace: string;
      readonly selector: StatusSelector;
    };

/** A request for a page of objects. */
export type ItemRequest = ScopedPageRequest & {
  readonly selector: StatusSelector;
  /** Only objects whose workload object a Binding sends to one of these WECs. Asked only of a resource with `sent` changes. */
  readonly wecs?: readonly string[];
};

/** Everything that the API knows about one of its resources. */
export interface ServedResource<T> {
  readonly names: ResourceNames;
  /** The fields of field selectors, and the words of those that have only some. */
  readonly fields: readonly string[];
  readonly words: FieldWords;
  readonly columns: readonly Column<T>[];
  /** The schema of the kind (OpenAPI), without apiVersion, kind and metadata. */
  readonly schema: { readonly description: string; readonly properties: JsonObject };
  nameOf(item: T): ItemName;
  /** When the object was created, RFC 3339. Undefined if it is not known. */
  createdOf(item: T): string | undefined;
  selectable(item: T): Selectable;
  /** The object without apiVersion, kind and metadata. */
  contentOf(item: T): JsonObject;
  /**
   * The workload object that an object is about. Whoever reads the object must be able to get that workload object as well.
   * Absent if the objects are about none.
   */
  readonly workloads?: {
    of(item: T): WorkloadName;
    /** Undefined if no object can have the name. */
    named(name: ItemName): WorkloadName | undefined;
  };
  read(source: StatusSource, name: ItemName, signal: AbortSignal): Promise<T | undefined>;
  /**
   * Reads what an object would be if WECs were gone (`?without=` of a get). Absent if the resource has no such question.
   *
   * @throws StatusError 400 for a WEC to which the object is not sent
   */
  readWithout?(
    source: StatusSource,
    asked: ItemName & { readonly without: readonly string[] },
    signal: AbortSignal,
  ): Promise<T | undefined>;
  /**
   * Whether an object is made of many rows. Watches then get its changes at most twice a second, and less often if it takes long to
   * read.
   */
  readonly isCostly?: true;
  /** A short text that changes with an object. What is the same as before is not sent again. Absent: everything is sent. */
  digestOf?(item: T): string;
  /** A page in the order of (namespace, name), by code units. */
  page(source: StatusSource, request: ItemRequest, signal: AbortSignal): Promise<StatusPage<T>>;
  /** What a change affects. Undefined for nothing. */
  affectedBy(changed: Changed): Affected | undefined;
  /** The family of an object. The objects of a family may be removed together. */
  familyOf(name: ItemName): string;
  /** The object of a name as it is shown when it has been removed: what its name tells. */
  gone(name: ItemName): T | undefined;
}

import type { KindModels } from '#shared/adapters/kubernetes/kind-models.ts';
import { notFound, StatusError } from '#shared/api/status-error.ts';
import { at, isArray, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { noteWrite, SCALE_FIELDS, STATUS_FIELDS } from './managed-fields.ts';
import {
  changedObject,
  hasFinalizers,
  markedForDeletion,
  newObject,
  type Part,
} from './object-preparation.ts';
import type { ObjectName, ObjectStore } from './object-store.ts';
import { placed, validate, validateStatus } from './object-validation.ts';
import { isCustom, NAMESPACES, type ResourceDefinition, resourceKey } from './resources.ts';
import { alreadyExists, conflict, forbidden, invalid } from './status-error.ts';
import { metadataOf, metadataText, StoredObject } from './stored-object.ts';

/** The parameters of a write request besides its body. */
export interface WriteRequest {
  readonly definition: ResourceDefinition;
  /** `''` for a cluster-scoped resource. */
  readonly namespace: string;
  /** The writer, for managedFields. */
  readonly manager: string;
  /** If true, the request is checked and answered, but nothing is stored. */
  readonly dryRun: boolean;
}

/** A write request to an existing object. */
export interface ChangeRequest extends WriteRequest {
  readonly name: string;
  readonly part: Part;
}

/** The conditions for deleting an object. */
export interface Preconditions {
  readonly uid?: JsonValue | undefined;
  readonly resourceVersion?: JsonValue | undefined;
}

/** The sources of times, uids and models of an API server. */
export interface LifecycleSources {
  readonly clock: () => Date;
  /** Makes uids. */
  readonly idGenerator: () => string;
  /** The fields of the kinds that come with Kubernetes. */
  readonly models: KindModels;
}

const PERMANENT_NAMESPACES: ReadonlySet<string> = new Set(['default', 'kube-system']);
const SUFFIX_LENGTH = 5;

/**
 * The rules of the Kubernetes API for creating, changing and deleting objects in a store. Every method is one atomic
 * step. It throws {@link StatusError} if the API server would answer with an error.
 */
export class ObjectLifecycle {
  readonly #store: ObjectStore;
  readonly #sources: LifecycleSources;
  /**
   * The namespaces whose deletion was requested, until they are gone. A namespace that was stored as terminating by
   * other means (a recording) is not included. It is gone when it is removed.
   */
  readonly endingNamespaces = new Set<string>();

  constructor(store: ObjectStore, sources: LifecycleSources) {
    this.#store = store;
    this.#sources = sources;
  }

  /** The present time in the format of Kubernetes. */
  now(): string {
    return this.#sources
      .clock()
      .toISOString()
      .replace(/\.\d+Z$/, 'Z');
  }

  /** The object, or an error 404. */
  read(definition: ResourceDefinition, at: ObjectName): StoredObject {
    const stored = this.#store.get(resourceKey(definition), at);
    if (stored === undefined) throw notFound(definition, at.name);
    return stored;
  }

  /** Creates an object from the body of a request. */
  create(request: WriteRequest, body: JsonValue): StoredObject {
    const { definition, namespace } = request;
    const named = this.#named(placed(definition, body, { namespace }));
    if (metadataText(named, 'resourceVersion') !== '')
      throw new StatusError(
        { code: 500, reason: '' },
        'resourceVersion should not be set on objects to be created',
      );
    this.#requireNamespace(definition, named);
    const { status: _unused, ...withoutStatus } = named;
    validate(definition, definition.statusSubresource ? withoutStatus : named);
    const key = resourceKey(definition);
    const name = metadataText(named, 'name');
    if (this.#store.get(key, { namespace, name })) throw alreadyExists(definition, name);
    const object = newObject(definition, named, {
      uid: this.#sources.idGenerator(),
      manager: request.manager,
      now: this.now(),
    });
    return request.dryRun ? new StoredObject(object, 0) : this.#store.put(key, object);
  }

  /**
   * Changes an object (PUT, PATCH).
   *
   * @param make makes the whole object that the request wants from the stored one
   */
  change(request: ChangeRequest, make: (stored: JsonObject) => JsonValue): StoredObject {
    const { definition, namespace, name, part } = request;
    const stored = this.read(definition, { namespace, name });
    const incoming = placed(definition, make(stored.object), { namespace, name });
    this.#requireSame(definition, stored, incoming);
    if (part === 'status')
      validateStatus(this.#sources.models, definition, {
        stored: stored.object,
        status: incoming['status'],
      });
    const now = this.now();
    const next = changedObject(definition, stored.object, { incoming, part, now });
    validate(definition, next, stored.object);
    const changed = new StoredObject(next, stored.version);
    if (changed.text === stored.text) return stored;
    if (request.dryRun) return changed;
    const noted = this.#noted(request, stored.object, next);
    if (metadataOf(next)['deletionTimestamp'] !== undefined && !hasFinalizers(next))
      return this.#store.remove(resourceKey(definition), stored, noted) ?? stored;
    return this.#store.put(resourceKey(definition), noted);
  }

  /**
   * Deletes an object. If it has finalizers (or is a namespace, which is deleted after its content), it is only marked.
   *
   * @returns its last state, and whether it is gone
   */
  delete(
    request: Omit<ChangeRequest, 'part'>,
    preconditions: Preconditions = {},
  ): { readonly last: StoredObject; readonly gone: boolean } {
    const { definition, namespace, name } = request;
    const stored = this.read(definition, { namespace, name });
    requirePreconditions(definition, stored, preconditions);
    const key = resourceKey(definition);
    if (key === NAMESPACES && PERMANENT_NAMESPACES.has(name))
      throw forbidden(definition, name, 'this namespace may not be deleted');
    if (request.dryRun) return { last: stored, gone: true };
    this.discard(key, stored);
    const left = this.#store.get(key, stored);
    return { last: left ?? stored, gone: left === undefined };
  }

  /** Deletes an object without a request. Like {@link delete}, but it is not an error if the object is gone. */
  discard(key: string, at: ObjectName): void {
    const stored = this.#store.get(key, at);
    if (stored === undefined) return;
    if (key !== NAMESPACES && !hasFinalizers(stored.object)) {
      this.#store.remove(key, stored);
      return;
    }
    const marked = markedForDeletion(stored.object, this.now());
    if (marked === stored.object) return;
    if (key !== NAMESPACES) {
      this.#store.put(key, marked);
      return;
    }
    const status = marked['status'];
    this.endingNamespaces.add(stored.name);
    this.#store.put(key, {
      ...marked,
      status: { ...(isObject(status) ? status : {}), phase: 'Terminating' },
    });
  }

  /** Removes the owner references to these owners. The object stays. */
  disown(key: string, name: ObjectName, uids: ReadonlySet<string>): void {
    const stored = this.#store.get(key, name);
    const references = stored && at(stored.object, 'metadata', 'ownerReferences');
    if (stored === undefined || !isArray(references)) return;
    const { ownerReferences: _all, ...metadata } = metadataOf(stored.object);
    const kept = references.filter((reference) => !uids.has(String(at(reference, 'uid'))));
    this.#store.put(key, {
      ...stored.object,
      metadata: { ...metadata, ...(kept.length === 0 ? {} : { ownerReferences: kept }) },
    });
  }

  #named(body: JsonObject): JsonObject {
    const prefix = metadataText(body, 'generateName');
    if (metadataText(body, 'name') !== '' || prefix === '') return body;
    const suffix = this.#sources
      .idGenerator()
      .toLowerCase()
      .replace(/[^a-z0-9]/g, '');
    const name = `${prefix}${suffix.slice(-SUFFIX_LENGTH)}`;
    return { ...body, metadata: { ...metadataOf(body), name } };
  }

  #requireNamespace(definition: ResourceDefinition, object: JsonObject): void {
    if (!definition.namespaced) return;
    const name = metadataText(object, 'namespace');
    const namespaces = { group: '', resource: NAMESPACES };
    const namespace = this.#store.get(NAMESPACES, { namespace: '', name });
    if (namespace === undefined) throw notFound(namespaces, name);
    if (at(namespace.object, 'metadata', 'deletionTimestamp') !== undefined)
      throw forbidden(
        definition,
        metadataText(object, 'name'),
        `unable to create new content in namespace ${name} because it is being terminated`,
      );
  }

  #requireSame(definition: ResourceDefinition, stored: StoredObject, incoming: JsonObject): void {
    const version = metadataText(incoming, 'resourceVersion');
    const uid = metadataText(incoming, 'uid');
    const storedUid = metadataText(stored.object, 'uid');
    if (uid !== '' && uid !== storedUid)
      throw conflict(
        definition,
        stored.name,
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${storedUid}`,
      );
    if (version === '' && isCustom(definition))
      throw invalid(definition, stored.name, [
        {
          field: 'metadata.resourceVersion',
          message: 'Invalid value: 0x0: must be specified for an update',
        },
      ]);
    if (version !== '' && version !== String(stored.version))
      throw conflict(definition, stored.name);
  }

  #noted({ part, manager }: ChangeRequest, stored: JsonObject, next: JsonObject): JsonObject {
    const write = { manager, time: this.now() };
    if (part === 'status')
      return noteWrite(next, { ...write, subresource: part, fields: STATUS_FIELDS });
    if (part === 'scale')
      return noteWrite(next, { ...write, subresource: part, fields: SCALE_FIELDS });
    return stored['status'] === next['status']
      ? next
      : noteWrite(next, { ...write, fields: STATUS_FIELDS });
  }
}

function requirePreconditions(
  definition: ResourceDefinition,
  stored: StoredObject,
  { uid, resourceVersion }: Preconditions,
): void {
  const storedUid = metadataText(stored.object, 'uid');
  if (typeof uid === 'string' && uid !== storedUid)
    throw conflict(
      definition,
      stored.name,
      `the UID in the precondition (${uid}) does not match the UID in record (${storedUid}). The object might have been deleted and then recreated`,
    );
  if (typeof resourceVersion === 'string' && resourceVersion !== String(stored.version))
    throw conflict(
      definition,
      stored.name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${stored.version}). The object might have been modified`,
    );
}

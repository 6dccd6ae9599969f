import { contentHash } from '#shared/content-hash.ts';
import { type JsonObject, type JsonValue, stringifyJson } from '#shared/core/json.ts';
import type { Form } from './accept.ts';
import { API_VERSION } from './api-group.ts';
import { jsonText } from './json-text.ts';
import type { ItemName, ServedResource } from './served-resource.ts';

/** How much of each object a Table contains beside its cells (`includeObject` of the request). */
export type IncludedObject = 'None' | 'Metadata' | 'Object';

/** How a client wants to see objects. */
export interface Presentation {
  readonly form: Form;
  readonly include: IncludedObject;
}

const META = 'meta.k8s.io/v1';
const MS_OF_SECOND = 1_000;

/**
 * The UID of an object that is stored nowhere: a UUID of the eighth version, made from the name (RFC 9562, section 5.8). So it is
 * the same in every answer of every process.
 */
function uidOf({ plural }: { readonly plural: string }, { namespace, name }: ItemName): string {
  const hash = contentHash(`${plural}/${namespace}/${name}`);
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`];
  return [...parts, `8${hash.slice(17, 20)}`, hash.slice(20)].join('-');
}

function metadataOf<T>(served: ServedResource<T>, item: T, revision: number): JsonObject {
  const itemName = served.nameOf(item);
  const { namespace, name } = itemName;
  const created = served.createdOf(item);
  return {
    name,
    ...(namespace === '' ? {} : { namespace }),
    uid: uidOf(served.names, itemName),
    resourceVersion: String(revision),
    ...(created === undefined ? {} : { creationTimestamp: created }),
    labels: served.selectable(item).labels,
  };
}

function partial(metadata: JsonObject): JsonObject {
  return { apiVersion: META, kind: 'PartialObjectMetadata', metadata };
}

function wholeObject<T>(served: ServedResource<T>, item: T, metadata: JsonObject): JsonObject {
  return {
    apiVersion: API_VERSION,
    kind: served.names.kind,
    metadata,
    ...served.contentOf(item),
  };
}

function included<T>(
  served: ServedResource<T>,
  { item, metadata }: { readonly item: T; readonly metadata: JsonObject },
  include: IncludedObject,
): JsonValue {
  if (include === 'None') return null;
  return include === 'Object' ? wholeObject(served, item, metadata) : partial(metadata);
}

function columnDefinitions<T>({ columns }: ServedResource<T>): JsonValue {
  return columns.map(({ name, description, priority }) => ({
    name,
    type: 'string',
    format: name === 'Name' ? 'name' : '',
    description,
    priority,
  }));
}

function table<T>(served: ServedResource<T>, metadata: JsonObject, rows: JsonValue): JsonObject {
  const columns = columnDefinitions(served);
  return { apiVersion: META, kind: 'Table', metadata, columnDefinitions: columns, rows };
}

/** Makes the answers about the objects of one resource, in the form that the client wants. */
export class Presenter<T> {
  readonly #served: ServedResource<T>;
  readonly #presentation: Presentation;
  readonly #now: () => number;

  constructor(served: ServedResource<T>, presentation: Presentation, now: () => number) {
    this.#served = served;
    this.#presentation = presentation;
    this.#now = now;
  }

  /** Identifies how objects are written now. The ages in a Table have seconds. */
  get key(): string {
    const { form, include } = this.#presentation;
    if (form !== 'table') return form;
    return `${form} ${include} ${Math.floor(this.#now() / MS_OF_SECOND)}`;
  }

  /** An element of a list: an object, or a row of a Table. */
  #element(item: T, revision: number): JsonObject {
    const metadata = metadataOf(this.#served, item, revision);
    const { form, include } = this.#presentation;
    if (form === 'metadata') return partial(metadata);
    if (form === 'object') return wholeObject(this.#served, item, metadata);
    const nowMs = this.#now();
    return {
      cells: this.#served.columns.map(({ cell }) => cell(item, nowMs)),
      object: included(this.#served, { item, metadata }, include),
    };
  }

  /** Like {@link Presenter.one}, as JSON text. */
  element(item: T, revision: number): string {
    return jsonText(this.#element(item, revision));
  }

  /**
   * One object, as the answer to a get or the object of an event. A Table has one row.
   *
   * @param revision the revision at which it was read
   */
  one(item: T, revision: number): JsonObject {
    const element = this.#element(item, revision);
    if (this.#presentation.form !== 'table') return element;
    return table(this.#served, { resourceVersion: String(revision) }, [element]);
  }

  /** The text of a list before and after its elements, which are joined by commas. */
  list(): { readonly head: string; tail(metadata: JsonObject): string } {
    const { form } = this.#presentation;
    const [elements, typed]: readonly [string, JsonObject] =
      form === 'table'
        ? [
            'rows',
            { apiVersion: META, kind: 'Table', columnDefinitions: columnDefinitions(this.#served) },
          ]
        : form === 'metadata'
          ? ['items', { apiVersion: META, kind: 'PartialObjectMetadataList' }]
          : ['items', { apiVersion: API_VERSION, kind: `${this.#served.names.kind}List` }];
    return {
      head: `${stringifyJson(typed).slice(0, -1)},"${elements}":[`,
      tail: (metadata) => `],"metadata":${stringifyJson(metadata)}}`,
    };
  }

  /** The object of a bookmark: how far a watch has come, in the form that the client wants. */
  bookmark(revision: number, isInitialEnd: boolean): JsonObject {
    const metadata: JsonObject = {
      resourceVersion: String(revision),
      ...(isInitialEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
    };
    const { form } = this.#presentation;
    if (form === 'object')
      return { apiVersion: API_VERSION, kind: this.#served.names.kind, metadata };
    if (form === 'metadata') return partial(metadata);
    // kubectl reads the revision and the annotation of the row's object.
    const cells = this.#served.columns.map(() => '');
    const row = { cells, object: partial(metadata) };
    return table(this.#served, { resourceVersion: String(revision) }, [row]);
  }
}

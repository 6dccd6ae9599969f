import { InputError } from '#local/cli/terminal/cli-error.ts';
import { contentHash } from '#shared/content-hash.ts';
import { at, isArray, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { apiGroup } from '#shared/core/metadata.ts';
import { documentIn, itemIn } from './document-messages.ts';
import { fieldFault, givenTwice, NO_ITEMS, NOT_AN_OBJECT } from './messages.ts';
import type { ReadFile } from './read-files.ts';

/** An object that the user gave. */
export interface GivenObject {
  /** File and number of the document, for messages. */
  readonly location: string;
  /** Kind, namespace and name, for messages. */
  readonly title: string;
  /** API group; `''` is the core group. */
  readonly group: string;
  readonly kind: string;
  /** `''` for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  readonly object: JsonObject;
}

function requiredText(value: JsonValue | undefined, field: string, where: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new InputError(`${where}: ${fieldFault(field, value === undefined || value === null)}`);
}

function describe(kind: string, namespace: string, name: string): string {
  return `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
}

function givenObject(object: JsonObject, location: string): GivenObject {
  const apiVersion = requiredText(object['apiVersion'], 'apiVersion', location);
  const kind = requiredText(object['kind'], 'kind', location);
  const name = requiredText(
    at(object, 'metadata', 'name'),
    'metadata.name',
    `${location}, ${kind}`,
  );
  const given = at(object, 'metadata', 'namespace') ?? '';
  const named = `${location}, ${kind} ${name}`;
  const namespace = given === '' ? '' : requiredText(given, 'metadata.namespace', named);
  const group = apiGroup(apiVersion);
  return { location, title: describe(kind, namespace, name), group, kind, namespace, name, object };
}

/** An item of a list of one kind may omit what the list defines. */
function listItem(list: JsonObject, item: JsonValue, location: string): JsonObject {
  if (!isObject(item)) throw new InputError(`${location}: ${NOT_AN_OBJECT}`);
  const { apiVersion, kind } = list;
  if (typeof kind !== 'string' || kind === 'List' || typeof apiVersion !== 'string') return item;
  return { apiVersion, kind: kind.slice(0, -'List'.length), ...item };
}

function objectsOf(value: JsonValue, location: string): readonly GivenObject[] {
  if (!isObject(value)) throw new InputError(`${location}: ${NOT_AN_OBJECT}`);
  const { kind, items } = value;
  if (typeof kind !== 'string' || !kind.endsWith('List') || at(value, 'metadata', 'name'))
    return [givenObject(value, location)];
  if (items === undefined || items === null) return [];
  if (!isArray(items)) throw new InputError(`${location}, ${kind}: ${NO_ITEMS}`);
  return items.flatMap((item, index) => {
    const itemLocation = itemIn(location, index + 1);
    return objectsOf(listItem(value, item, itemLocation), itemLocation);
  });
}

/** Identifies an object among those of one cluster, regardless of its API version. */
export function identityOf({ group, kind, namespace, name }: GivenObject): string {
  return `${group}/${kind}/${namespace}/${name}`;
}

/** `metadata.uid`, if there is one. */
export function uidIn(given: GivenObject | undefined): string | undefined {
  const uid = at(given?.object, 'metadata', 'uid');
  return typeof uid === 'string' && uid !== '' ? uid : undefined;
}

/** `metadata.uid` or, if no API server has seen the object, a replacement that is computed from its identity. */
export function uidOf(given: GivenObject): string {
  const uid = uidIn(given);
  if (uid !== undefined) return uid;
  const parts = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(contentHash(identityOf(given))) ?? [];
  return parts.slice(1).join('-');
}

/** Whether an API server has set the uid of the object. */
export function hasUid(given: GivenObject): boolean {
  return uidIn(given) !== undefined;
}

function asGiven(given: GivenObject): GivenObject {
  return given;
}

/**
 * The objects of some files, including those in lists, each once.
 *
 * @param read converts an object before it is compared with others
 * @throws InputError if something is not an object, or if two objects have the same identity
 */
export function givenObjects(
  files: readonly ReadFile[],
  read: (given: GivenObject) => GivenObject = asGiven,
): readonly GivenObject[] {
  const objects = files
    .flatMap(({ file, documents }) =>
      documents.flatMap(({ number, value }) => objectsOf(value, documentIn(file, number))),
    )
    .map(read);
  const byIdentity = new Map<string, GivenObject>();
  for (const given of objects) {
    const identity = identityOf(given);
    const other = byIdentity.get(identity);
    if (other !== undefined)
      throw new InputError(`${given.location}: ${given.title} ${givenTwice(other.location)}`);
    byIdentity.set(identity, given);
  }
  return objects;
}

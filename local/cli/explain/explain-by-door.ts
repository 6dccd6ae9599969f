import { askJson, type Collection, pathOf } from '#local/cli/door/ask-json.ts';
import type { Door } from '#local/cli/door/door.ts';
import { type Listed, METADATA_TYPE, pagesOf } from '#local/cli/get/request.ts';
import { unknownWord } from '#local/cli/get/unknown-word.ts';
import { reportSelectors } from '#local/cli/get/wanted.ts';
import { parseObjectText } from '#local/cli/input/named-object.ts';
import { notBound, severalObjects } from '#local/cli/input/object-messages.ts';
import { InputError } from '#local/cli/terminal/cli-error.ts';
import type { Explanation } from '#shared/core/explanation/explanation.ts';
import { isArray, isObject, type JsonObject, textAt } from '#shared/core/json.ts';

/** The object that is explained, and how. */
export interface ExplainByDoor {
  /** `<kind>/<name>`. */
  readonly text: string;
  /** Absent: wherever there is one of the name. */
  readonly namespace?: string;
  readonly without?: readonly string[];
}

/** A door, and where its warnings go. */
interface Asking {
  readonly door: Door;
  readonly onWarning: (text: string) => void;
}

const NEVER = new AbortController().signal;

/** The collections in which an explanation may be. */
function collectionsOf({ namespace }: ExplainByDoor): readonly Collection[] {
  if (namespace !== undefined) return [{ plural: 'explanations', namespace }];
  return [{ plural: 'explanations' }, { plural: 'clusterexplanations' }];
}

async function listed(asking: Asking, list: Listed): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  const request = { accept: METADATA_TYPE, limit: 0 };
  for await (const { items } of pagesOf({ ...asking, signal: NEVER }, list, request))
    if (isArray(items)) found.push(...items.filter(isObject));
  return found;
}

/** The metadata of the explanations of the first resource that the word may mean and that has any. */
async function metadataOf(asking: Asking, wanted: ExplainByDoor): Promise<readonly JsonObject[]> {
  const named = parseObjectText(wanted.text);
  for (const fieldSelector of reportSelectors({ type: 'reports', ...named })) {
    const lists = collectionsOf(wanted).map((collection) => ({ collection, fieldSelector }));
    const found: JsonObject[] = [];
    for (const list of lists) found.push(...(await listed(asking, list)));
    if (found.length > 0) return found;
  }
  return [];
}

function titleOf(object: JsonObject): string {
  const [resource = '', ...name] = textAt(object, 'metadata', 'name').split(':');
  const namespace = textAt(object, 'metadata', 'namespace');
  return `${resource}/${name.join(':')}${namespace === '' ? '' : ` -n ${namespace}`}`;
}

async function findOne(asking: Asking, wanted: ExplainByDoor): Promise<JsonObject> {
  const found = await metadataOf(asking, wanted);
  const [first, second] = found;
  if (first === undefined) {
    const { word } = parseObjectText(wanted.text);
    const fault = await unknownWord({ ...asking, signal: NEVER }, word, wanted.text);
    if (fault !== undefined) throw fault;
    throw new InputError(notBound(wanted));
  }
  if (second !== undefined) throw new InputError(severalObjects(wanted.text, found.map(titleOf)));
  return first;
}

/**
 * Asks the API why the status of an object is what it is.
 *
 * @throws UsageError if the text has another form than `<kind>/<name>`; InputError if there is no such object or more than one, or
 *   a WEC of `without` is not known; what the door throws
 */
export async function explanationByDoor(
  asking: Asking,
  wanted: ExplainByDoor,
): Promise<Explanation> {
  const { door, onWarning } = asking;
  const object = await findOne(asking, wanted);
  const [namespace, name] = ['namespace', 'name'].map((key) => textAt(object, 'metadata', key));
  const collection =
    namespace === '' || namespace === undefined
      ? { plural: 'clusterexplanations' }
      : { plural: 'explanations', namespace };
  const { without = [] } = wanted;
  const query = new URLSearchParams(without.length === 0 ? {} : { without: without.join(',') });
  const path = pathOf(collection, name);
  const answer = await askJson(door, { method: 'GET', path, query }, onWarning);
  // The resource explanations serves this kind.
  return answer as unknown as Explanation;
}

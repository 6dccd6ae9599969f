import { askJson, type Collection, pathOf } from '#local/cli/door/ask-json.ts';
import type { Door, DoorRequest } from '#local/cli/door/door.ts';
import { UsageError } from '#local/cli/terminal/cli-error.ts';
import type { ResourceNames } from '#shared/api/served-resource.ts';
import { CLUSTER_WEC_STATUSES, WEC_STATUSES } from '#shared/api/wec-statuses.ts';
import { isArray, type JsonObject, textAt } from '#shared/core/json.ts';
import { fieldSelectorText } from '#shared/core/status-api/field-selector-text.ts';
import { NAME_NEEDS_NAMESPACE, NAMES_OR_SELECTORS, NOT_FOUND_HINTS } from './messages.ts';
import { type ReportsOf, reportSelectors, type Wanted } from './wanted.ts';

/** Which objects are selected. */
export interface Selecting {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly selector?: string;
  readonly fieldSelector?: string;
}

/** A list. */
export interface Listed {
  readonly collection: Collection;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Some objects of a resource of the API. */
export interface Asked extends Listed {
  readonly names: ResourceNames;
  /** Present if one object is asked for by its name in the API. */
  readonly name?: string;
  /** What is missing if nothing is found: `wecs.status.starfold.dev "east"`. Absent if finding nothing is no error. */
  readonly title?: string;
  /** Why it may be missing. */
  readonly hint?: string;
}

/** A door, and where its warnings go. */
export interface Asking {
  readonly door: Door;
  readonly onWarning: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Only the metadata of objects. */
export const METADATA_TYPE = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

function joined(...selectors: readonly (string | undefined)[]): string | undefined {
  const all = selectors.filter((one) => one !== undefined && one !== '');
  return all.length === 0 ? undefined : all.join(',');
}

/** The query of a list or watch. */
export function queryOf(
  { labelSelector, fieldSelector }: Listed,
  more: Readonly<Record<string, string | undefined>>,
): URLSearchParams {
  const entries = Object.entries({ labelSelector, fieldSelector, ...more });
  return new URLSearchParams(
    entries.filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** The pages of a list. */
export async function* pagesOf(
  { door, onWarning, signal }: Asking,
  asked: Listed,
  request: Pick<DoorRequest, 'accept'> & {
    readonly limit: number;
    readonly include?: string;
  },
): AsyncGenerator<JsonObject> {
  const { accept, limit, include } = request;
  const path = pathOf(asked.collection);
  let next = '';
  do {
    const query = queryOf(asked, {
      limit: limit === 0 ? undefined : String(limit),
      includeObject: include,
      continue: next === '' ? undefined : next,
    });
    const accepted = accept === undefined ? {} : { accept };
    const page = await askJson(
      door,
      { method: 'GET', path, query, signal, ...accepted },
      onWarning,
    );
    yield page;
    next = textAt(page, 'metadata', 'continue');
  } while (next !== '');
}

function collectionOf({ plural, namespaced }: ResourceNames, { namespace }: Selecting): Collection {
  return namespaced && namespace !== undefined ? { plural, namespace } : { plural };
}

/** Whether anything is in a list. A page may be empty although there are more. */
export async function hasAny(asking: Asking, asked: Listed): Promise<boolean> {
  for await (const { items } of pagesOf(asking, asked, { accept: METADATA_TYPE, limit: 1 }))
    if (isArray(items) && items.length > 0) return true;
  return false;
}

/** The first of some lists that has anything. */
async function firstWithAny(asking: Asking, lists: readonly Asked[]): Promise<Asked | undefined> {
  const silent = { ...asking, onWarning: () => undefined };
  for (const asked of lists) if (await hasAny(silent, asked)) return asked;
  return undefined;
}

/** Why no report about an object is listed. `isKept`: whether there is one without the selection. */
function hintOf({ selector, fieldSelector }: Selecting, isKept: boolean): string {
  if (!isKept) return NOT_FOUND_HINTS.nowhere;
  const isSelected = joined(selector, fieldSelector) !== undefined;
  return isSelected ? NOT_FOUND_HINTS.notSelected : NOT_FOUND_HINTS.elsewhere;
}

/** The reports about objects: of the first resource that the word may mean of which WECs have any, in a namespace or without. */
async function reportsAsked(
  asking: Asking,
  wanted: ReportsOf,
  selecting: Selecting,
): Promise<Asked> {
  const selectors = reportSelectors(wanted);
  const candidates = [WEC_STATUSES, CLUSTER_WEC_STATUSES].flatMap(({ names }) =>
    selectors.map((fieldSelector) => ({
      ...{ names, collection: { plural: names.plural }, fieldSelector },
    })),
  );
  const found = await firstWithAny(asking, candidates);
  const [names, fieldSelector] = [found?.names ?? WEC_STATUSES.names, found?.fieldSelector];
  const asked = {
    ...{ names, collection: collectionOf(names, selecting) },
    fieldSelector: fieldSelector ?? String(selectors[0]),
  };
  const { word, name } = wanted;
  if (name === undefined) return asked;
  return { ...asked, title: `${word} "${name}"`, hint: hintOf(selecting, found !== undefined) };
}

async function askedOf(asking: Asking, wanted: Wanted, selecting: Selecting): Promise<Asked> {
  if (wanted.type === 'reports') return reportsAsked(asking, wanted, selecting);
  const { names, name } = wanted;
  const collection = collectionOf(names, selecting);
  if (name === undefined) return { names, collection };
  if (names.namespaced && selecting.namespace === undefined)
    throw new UsageError(NAME_NEEDS_NAMESPACE);
  return { names, collection, name, title: `${names.plural}.status.starfold.dev "${name}"` };
}

/**
 * What is asked of the API. For workload objects, it is asked which resource a word means.
 *
 * @throws UsageError if a name and the namespaces contradict each other; what the door throws
 */
export async function resolveWanted(
  asking: Asking,
  wanted: Wanted,
  selecting: Selecting,
): Promise<Asked> {
  const asked = await askedOf(asking, wanted, selecting);
  const { selector: labelSelector } = selecting;
  const fieldSelector = joined(asked.fieldSelector, selecting.fieldSelector);
  if (asked.name !== undefined && (labelSelector !== undefined || fieldSelector !== undefined))
    throw new UsageError(NAMES_OR_SELECTORS);
  return {
    ...asked,
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}

/** An object by its name, as a list that can be watched. */
export function asList(asked: Asked): Asked {
  const { name, ...rest } = asked;
  return name === undefined
    ? asked
    : { ...rest, fieldSelector: fieldSelectorText({ 'metadata.name': name }) };
}

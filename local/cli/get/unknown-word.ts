import { existsSync } from 'node:fs';
import { KUBECTL_SHORT_NAMES, meantResources } from '#local/cli/input/resource-word.ts';
import { InputError } from '#local/cli/terminal/cli-error.ts';
import { GROUP } from '#shared/api/api-group.ts';
import { CREATED } from '#shared/api/query-resources.ts';
import { CLUSTER_WEC_STATUSES, WEC_STATUSES } from '#shared/api/wec-statuses.ts';
import { isArray, textAt } from '#shared/core/json.ts';
import { nearestName } from '#shared/core/nearest-name.ts';
import { BUILT_IN_KINDS } from '#shared/core/schema/built-in-kinds.ts';
import { kindPlural } from '#shared/core/schema/kind-plural.ts';
import { fileAsResource, notKept, severalResources, unknownResource } from './messages.ts';
import { type Asking, hasAny, type Listed, METADATA_TYPE, pagesOf } from './request.ts';
import { reportSelectors, SERVED } from './wanted.ts';

/** So many reports are read for a suggestion. */
const READ = 500;
const COLLECTIONS = [WEC_STATUSES, CLUSTER_WEC_STATUSES].map(({ names }) => ({
  plural: names.plural,
}));

/** The kinds of Kubernetes with their groups and resources. */
const KUBERNETES = BUILT_IN_KINDS.flatMap(([groupVersion, kinds]) => {
  const group = groupVersion.slice(0, groupVersion.indexOf('/'));
  return kinds.map((kind) => ({ group, kind, resource: kindPlural(group, kind) }));
});

function isOfKubernetes(word: string): boolean {
  return meantResources(word).some(({ group, resource }) =>
    KUBERNETES.some(
      (one) => one.resource === resource && (group === undefined || one.group === group),
    ),
  );
}

/** Whether a word names a resource of which objects are only created. */
function isQuery(word: string): boolean {
  const name = word.toLowerCase().replace(`.${GROUP}`, '');
  return CREATED.some(({ names }) => name === names.plural || name === names.singular);
}

async function isReported(asking: Asking, word: string): Promise<boolean> {
  for (const fieldSelector of reportSelectors({ type: 'reports', word }))
    for (const collection of COLLECTIONS)
      if (await hasAny(asking, { collection, fieldSelector })) return true;
  return false;
}

/** `widgets.example.com` and `widgets`, if a report is about such an object. */
async function reportedWords(asking: Asking, list: Listed): Promise<readonly string[]> {
  for await (const { items } of pagesOf(asking, list, { accept: METADATA_TYPE, limit: READ })) {
    const names = isArray(items) ? items.map((item) => textAt(item, 'metadata', 'name')) : [];
    const resources = new Set(names.map((name) => name.slice(0, name.indexOf(':'))));
    return [...resources].flatMap((resource) => [resource, String(resource.split('.')[0])]);
  }
  return [];
}

async function knownWords(asking: Asking): Promise<readonly string[]> {
  const lists = COLLECTIONS.map((collection) => reportedWords(asking, { collection }));
  return [
    ...SERVED.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...shortNames]),
    ...KUBERNETES.flatMap(({ kind, resource }) => [resource, kind.toLowerCase()]),
    ...KUBECTL_SHORT_NAMES,
    ...(await Promise.all(lists)).flat(),
  ];
}

/**
 * The error of a word that names no resource: Kubernetes has none of that name, and no WEC reports objects of one.
 *
 * @param text what the user has written: the word, or the word with a name
 * @returns undefined if it may name one
 */
export async function unknownWord(
  asking: Asking,
  word: string,
  text: string,
): Promise<InputError | undefined> {
  const silent = { ...asking, onWarning: () => undefined };
  if (isOfKubernetes(word) || (await isReported(silent, word))) return undefined;
  if (isQuery(word)) return new InputError(notKept(word));
  if (existsSync(text)) return new InputError(fileAsResource(word, text));
  const [first = '', ...others] = word.split(',');
  if (others.length > 0) return new InputError(severalResources(word, first));
  const near = nearestName(word, await knownWords(silent));
  return new InputError(unknownResource(word, near));
}

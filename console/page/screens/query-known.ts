import { computed, signal } from '@preact/signals';
import { API, getDocument } from '#console/live/client.ts';
import type { WecStatusObject } from '#console/model/api-objects.ts';
import { type KnownObjects, openApiPath, schemaOfKind } from '#console/model/query/names.ts';
import { placeOf } from '#console/model/routes.ts';
import { allExplanations, wecs } from '#console/page/state/state.ts';
import { isArray, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { fieldSelectorText } from '#shared/core/status-api/field-selector-text.ts';

/** A kind, and its group. */
export interface Kind {
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
}

const kinds = computed(
  (): ReadonlyMap<string, Kind> =>
    new Map(
      allExplanations.value.map(({ workload }) => {
        const { group, resource, kind, namespace = '' } = workload;
        return [
          placeOf(workload).resource,
          { group, resource, kind, isNamespaced: namespace !== '' },
        ];
      }),
    ),
);

/** The resources of which there are objects, as `deployments.apps`. */
export const presentResources = computed((): ReadonlySet<string> => new Set(kinds.value.keys()));

/** The namespaces in which there are objects. */
export const presentNamespaces = computed((): readonly string[] => {
  const all = allExplanations.value.map(({ workload }) => workload.namespace ?? '');
  return [...new Set(all)].filter((namespace) => namespace !== '').toSorted();
});

/** The kind of a resource, if there are objects of it. */
export function kindOfResource(resource: string): Kind | undefined {
  return kinds.value.get(resource);
}

/** What was learnt about the resource that is asked about. */
const learnt = signal<{ readonly resource: string } & Pick<KnownObjects, 'schema' | 'seen'>>({
  ...{ resource: '', seen: [] },
});

const labelKeys = computed((): readonly string[] =>
  [
    ...new Set(
      [...wecs.shown.value.values()].flatMap(({ metadata: { labels } }) =>
        Object.keys(labels ?? {}),
      ),
    ),
  ].toSorted(),
);

/** What is known about the objects that are asked about. */
export const known = computed(
  (): KnownObjects => ({ ...learnt.value, wecLabels: labelKeys.value }),
);

/** So many statuses are looked at for their names. */
const SEEN = '50';

const documents = new Map<string, Promise<JsonObject | undefined>>();

/** A document that does not change while the page is open. What could not be read is read again the next time. */
function documentAt(path: string, signal: AbortSignal): Promise<JsonObject | undefined> {
  const found = documents.get(path) ?? getDocument(path, signal);
  documents.set(path, found);
  found.catch(() => documents.delete(path));
  return found;
}

async function schemaOf(kind: Kind, signal: AbortSignal): Promise<KnownObjects['schema']> {
  const index = await documentAt('/openapi/v3', signal);
  const path = index === undefined ? undefined : openApiPath(index, kind.group);
  const document = path === undefined ? undefined : await documentAt(path, signal);
  return document === undefined ? undefined : schemaOfKind(document, kind);
}

async function seenOf(
  { group, resource, isNamespaced }: Kind,
  signal: AbortSignal,
): Promise<readonly JsonValue[]> {
  const plural = isNamespaced ? 'wecstatuses' : 'clusterwecstatuses';
  const fieldSelector = fieldSelectorText({
    'workload.resource': resource,
    'workload.group': group,
  });
  const search = new URLSearchParams({ fieldSelector, limit: SEEN });
  const list = await getDocument(`${API}/${plural}?${search}`, signal);
  const items = list?.['items'];
  if (!isArray(items)) return [];
  return (items as unknown as readonly WecStatusObject[]).flatMap(({ status }) =>
    status === undefined ? [] : [status],
  );
}

/** Learns which names the objects of a resource have. Returns a function that gives it up. */
export function learnAbout(resource: string): () => void {
  const stopping = new AbortController();
  const kind = kinds.peek().get(resource);
  if (learnt.peek().resource !== resource) learnt.value = { resource, seen: [] };
  else if (learnt.peek().seen.length > 0) return () => undefined;
  const learn = async (): Promise<void> => {
    if (kind === undefined) return;
    const [schema, seen] = await Promise.all([
      schemaOf(kind, stopping.signal),
      seenOf(kind, stopping.signal),
    ]);
    learnt.value = { resource, seen, ...(schema === undefined ? {} : { schema }) };
  };
  // Without names there is no completion; that the API does not answer is said elsewhere.
  learn().catch(() => undefined);
  return () => stopping.abort();
}

import type { DeploymentRow } from '#shared/core/fleet/deployment-row.ts';
import { namespacedName } from '#shared/core/fleet-object.ts';
import { selectableDeployment } from '#shared/core/status-api/selectable-deployment.ts';
import { type StatusSelector, selects } from '#shared/core/status-api/selector.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import { InvalidContinuationError } from '#shared/errors.ts';
import type { BundleDeployments } from '#shared/ports/bundle-deployments.ts';
import type { ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import type { PageRequest, Scope, StatusPage } from '#shared/ports/status-source.ts';
import { parseReportedKey, reportedKey } from '#shared/state/keys.ts';
import { readSilence } from '#shared/state/silence.ts';
import { asCounted, decodeDeployment } from './deployment-row.ts';
import { placedKey, rowKeysIn } from './placed-object.ts';

/** So many BundleDeployments are read at a time: a row may have hundreds of kilobytes. */
const MAX_BATCH = 50;
/** After so many BundleDeployments a page ends, however few are selected. */
const MAX_READ = 1_000;

/** Where the BundleDeployments are read. */
interface Upstream {
  readonly store: ItemStore;
  readonly upstream: string;
}

/** The partition of the entries of everything that the management cluster has reported, and the prefix of these. */
function entriesOf(
  upstream: string,
  scope: Scope,
): { readonly pk: string; readonly prefix: string } {
  const source = { type: 'fleet', name: upstream } as const;
  const namespace = typeof scope === 'string' ? '' : `${scope.namespace}/`;
  const any = placedKey({ upstream, resource: 'bundledeployments', namespace: '', name: '' });
  const prefix = reportedKey(source, any).sk.slice(0, -`//|${any.sk}`.length);
  return { pk: sourcePartition(source), prefix: `${prefix}/${namespace}` };
}

/** The keys of some rows below Bundles, by the keys of the notes that say where they are. Undefined for a deleted one. */
async function placesOf(
  { store, upstream }: Upstream,
  notes: readonly ItemKey[],
): Promise<readonly (ItemKey | undefined)[]> {
  const bundles = `F#${upstream}/bundles/`;
  return (await store.get(notes)).map((item) =>
    item === undefined ? undefined : rowKeysIn(item).find(({ pk }) => pk.startsWith(bundles)),
  );
}

/** Reads BundleDeployments as the statuses count them. Deleted ones, and those of no Bundle, are left out. */
async function readRows(
  reader: Upstream,
  notes: readonly ItemKey[],
): Promise<readonly DeploymentRow[]> {
  const { store, upstream } = reader;
  const places = await placesOf(reader, notes);
  const items = await store.get(places.flatMap((place) => place ?? []));
  const silence = await readSilence(store, { upstream });
  return items.flatMap((item) => {
    const row = item && decodeDeployment(item);
    return row === undefined ? [] : [asCounted(row, silence)];
  });
}

async function readPage(
  reader: Upstream,
  {
    scope,
    limit,
    after,
    selector,
  }: PageRequest & { readonly scope: Scope; readonly selector: StatusSelector },
): Promise<StatusPage<DeploymentRow>> {
  const { pk, prefix } = entriesOf(reader.upstream, scope);
  if (after?.startsWith(prefix) === false) throw new InvalidContinuationError();
  const items: DeploymentRow[] = [];
  let last = after;
  for (let read = 0; read < MAX_READ && items.length < limit; ) {
    const page = await reader.store.query({
      pk,
      from: last === undefined ? prefix : `${last}\u0000`,
      to: `${prefix}\u{10ffff}`,
      limit: Math.min(limit - items.length, MAX_BATCH),
    });
    const rows = await readRows(
      reader,
      page.items.map(({ sk }) => parseReportedKey(sk)),
    );
    items.push(...rows.filter((row) => selects(selector, selectableDeployment(row))));
    read += page.items.length;
    last = page.items.at(-1)?.sk ?? last;
    if (page.cursor === undefined) return { items };
  }
  return { items, ...(last === undefined ? {} : { next: last }) };
}

/**
 * The BundleDeployments of a management cluster, from what is stored. The entries of what the cluster has reported name them, the
 * note of each says where its row is, and the row below its Bundle has its state.
 */
export function createBundleDeployments(store: ItemStore, upstream: string): BundleDeployments {
  const reader = { store, upstream };
  return {
    async deployment({ namespace, name }) {
      const note = placedKey({ upstream, resource: 'bundledeployments', namespace, name });
      const [row] = await readRows(reader, [note]);
      // The row may belong to another object by now.
      const isSame = row && namespacedName(row.namespace, row.name) === `${namespace}/${name}`;
      return isSame === true ? row : undefined;
    },
    deployments: async (request) =>
      request.scope === 'cluster' ? { items: [] } : readPage(reader, request),
  };
}

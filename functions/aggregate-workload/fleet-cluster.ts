import type { ClusterContact } from '#shared/core/fleet/cluster-contact.ts';
import { silenceText } from '#shared/core/fleet/cluster-contact.ts';
import { CLUSTER, type ClusterPart, type SourceCell } from '#shared/core/fleet/cluster-fold.ts';
import { CLUSTER_GROUP } from '#shared/core/fleet/cluster-group-fold.ts';
import { targetCluster } from '#shared/core/fleet/cluster-inventory.ts';
import { type DeploymentRow, pendingRow, silentRow } from '#shared/core/fleet/deployment-row.ts';
import type { ClusterResult } from '#shared/core/fleet/fleet-result.ts';
import { type AggregatedResource, isTrueAt, namespacedName } from '#shared/core/fleet-object.ts';
import { type JsonObject, textAt } from '#shared/core/json.ts';
import type { FleetSubject } from '#shared/core/subject.ts';
import { DEPLOYMENT_ROW } from '#shared/state/fleet/contents.ts';
import {
  type FleetRow,
  fleetRowKey,
  fleetSubject,
  readRow,
} from '#shared/state/fleet/fleet-rows.ts';
import { inventoryEntry, type Surroundings } from '#shared/state/fleet/inventory.ts';
import type { PlacedRow } from '#shared/state/fleet/placed-object.ts';
import { readSilenceOf, silenceKey } from '#shared/state/silence.ts';
import type { AggregateDeps } from './deps.ts';
import { foldFamily } from './fleet-family.ts';
import {
  type FleetAggregate,
  type FleetFinding,
  type ObservedFleet,
  readFleetObject,
} from './fleet-finding.ts';

/** Whether the agent reports, as found by the sweep for silent Clusters. */
async function contactOf(
  deps: AggregateDeps,
  id: string,
  { upstream, content }: { readonly upstream: string; readonly content: JsonObject | undefined },
): Promise<ClusterContact> {
  if (content === undefined) return { type: 'connected' };
  const entry = await readSilenceOf(deps.store, silenceKey(id, { upstream }));
  if (entry?.silent === true) return { type: 'silent', lastSeen: entry.lastSeen ?? '' };
  return { type: isTrueAt(content, 'status', 'reports') ? 'connected' : 'never' };
}

/** The rows of a Cluster. A target counts as a row if the Bundle has no deployment for it. */
function rowsOf(
  stored: readonly FleetRow[],
  { id: cluster, contact }: { readonly id: string; readonly contact: ClusterContact },
): readonly DeploymentRow[] {
  const deployed = new Set(stored.filter(({ own }) => own !== '').map(({ id }) => id));
  return stored.flatMap((item): readonly DeploymentRow[] => {
    const { id, own, body } = item;
    if (own === '') {
      // The Bundle has put this row. It names the sources of the Bundle.
      const parents = { bundle: id, repo: textAt(body, 'repo'), helmOp: textAt(body, 'helmOp') };
      return deployed.has(id) ? [] : [pendingRow(parents, cluster)];
    }
    const row = readRow(DEPLOYMENT_ROW, item);
    return [contact.type === 'silent' ? silentRow(row, silenceText(contact.lastSeen)) : row];
  });
}

function cellRows(
  upstream: string,
  id: string,
  { repos, helmOps }: ClusterPart,
): readonly PlacedRow[] {
  const of = (resource: AggregatedResource, cells: readonly SourceCell[]): readonly PlacedRow[] =>
    cells.flatMap(({ source, cell }) => {
      const subject = fleetSubject(upstream, resource, source);
      if (subject === undefined) return [];
      return [{ key: fleetRowKey(subject, { family: 'CLUSTER', id }), body: cell }];
    });
  return [...of('gitrepos', repos), ...of('helmops', helmOps)];
}

/** The row below each ClusterGroup that contains the Cluster. */
function groupRows(
  { upstream, namespace, name }: FleetSubject,
  what: {
    readonly content: JsonObject;
    readonly around: Surroundings;
    readonly contact: ClusterContact;
    readonly part: ClusterPart;
  },
): readonly PlacedRow[] {
  const { content, around, contact, part } = what;
  const cluster = targetCluster(content);
  const body = CLUSTER_GROUP.lift({ namespace, name, contact, part });
  const row = { family: 'CLUSTER', id: namespacedName(namespace, name) } as const;
  return around.groups
    .filter(({ selector }) => selector.matches(cluster))
    .map((group) => {
      const subject: FleetSubject = {
        type: 'fleet',
        upstream,
        resource: 'clustergroups',
        namespace: group.namespace,
        name: group.name,
      };
      return { key: fleetRowKey(subject, row), body };
    });
}

/**
 * The GitRepos or HelmOps of the cells that exist. All are in the namespaces of their Bundles, usually the namespace of the
 * Cluster.
 */
async function existing(
  deps: AggregateDeps,
  { upstream, namespace }: FleetSubject,
  what: {
    readonly resource: 'gitrepos' | 'helmops';
    readonly cells: readonly SourceCell[];
    readonly around: Surroundings;
  },
): Promise<readonly string[]> {
  const { resource, cells, around } = what;
  const byNamespace = new Map([[namespace, around]]);
  const found: string[] = [];
  for (const { source } of cells) {
    const of = fleetSubject(upstream, resource, source);
    if (of === undefined) continue;
    const there = byNamespace.get(of.namespace) ?? (await deps.inventories.surroundings(of));
    byNamespace.set(of.namespace, there);
    if (there[resource].has(of.name)) found.push(source);
  }
  return found;
}

function contributionsOf(
  subject: FleetSubject,
  what: {
    readonly observed: ObservedFleet;
    readonly around: Surroundings;
    readonly contact: ClusterContact;
    readonly part: ClusterPart;
  },
): readonly PlacedRow[] {
  const { observed, part } = what;
  const { content } = observed;
  const cells = cellRows(subject.upstream, namespacedName(subject.namespace, subject.name), part);
  if (content === undefined) return cells;
  return [...cells, ...groupRows(subject, { ...what, content }), inventoryEntry(subject, content)];
}

/**
 * Folds the deployments of a Cluster, including those that the Cluster still waits for.
 *
 * @returns `undefined` if another process has stored a part meanwhile. The caller starts again.
 */
export async function aggregateCluster(
  deps: AggregateDeps,
  { subject, pk, head, changed }: FleetAggregate,
): Promise<FleetFinding | undefined> {
  const { upstream, namespace, name } = subject;
  const id = namespacedName(namespace, name);
  const observed = await readFleetObject(deps, subject);
  const { content } = observed;
  const contact = await contactOf(deps, id, { upstream, content });
  const around = await deps.inventories.surroundings(subject);
  const folded = await foldFamily(deps, {
    pk,
    family: 'BUNDLE',
    head,
    changed,
    fold: CLUSTER,
    rowsOf: (stored) => rowsOf(stored, { id, contact }),
    fingerprint: () => (contact.type === 'silent' ? `silent ${contact.lastSeen}` : 'speaks'),
  });
  if (folded === undefined) return undefined;
  const { part } = folded;
  const result: ClusterResult = {
    namespace,
    name,
    contact,
    part,
    gitRepos: await existing(deps, subject, { resource: 'gitrepos', cells: part.repos, around }),
    helmOps: await existing(deps, subject, { resource: 'helmops', cells: part.helmOps, around }),
  };
  const wanted = contributionsOf(subject, { observed, around, contact, part });
  return {
    result: { resource: 'clusters', ...result },
    families: { BUNDLE: folded.layout },
    observed,
    contributions: () => wanted,
  };
}

import type { DesiredStatus } from '#shared/core/fleet/desired-status.ts';
import type { AggregatedKind } from '#shared/core/fleet-object.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { contactOf, membersOf, type NaiveRow, type ObjectsOf } from './naive-rows.ts';

/** What a status counts: its other members are left out. */
export type Counters = Readonly<Record<string, JsonValue | undefined>>;

const SUMMARY_MEMBERS = {
  ...{ Ready: 'ready', NotReady: 'notReady', Pending: 'pending', OutOfSync: 'outOfSync' },
  ...{ Modified: 'modified', WaitApplied: 'waitApplied', ErrApplied: 'errApplied' },
};
const COUNTS = [
  ...['ready', 'desiredReady', 'waitApplied', 'modified', 'orphaned', 'missing', 'unknown'],
  'notReady',
];

type Rows = readonly NaiveRow[];

function summaryOf(rows: Rows): JsonObject {
  const summary: Record<string, number> = { ready: 0, desiredReady: rows.length };
  for (const { state } of rows) {
    const member = SUMMARY_MEMBERS[state];
    summary[member] = (summary[member] ?? 0) + 1;
  }
  return summary;
}

function resourceCountsOf(rows: Rows): JsonObject {
  return Object.fromEntries(
    COUNTS.map((member) => [
      member,
      rows.reduce((sum, { counts }) => sum + (counts[member] ?? 0), 0),
    ]),
  );
}

function isReady({ state }: NaiveRow): boolean {
  return state === 'Ready';
}

function ratio(rows: Rows): string {
  return `${rows.filter(isReady).length}/${rows.length}`;
}

/** How many there are that rows name, and of how many all rows are Ready. */
function groups(
  rows: Rows,
  nameOf: (row: NaiveRow) => string,
): readonly [all: number, ready: number] {
  const named = [...Map.groupBy(rows, nameOf)].filter(([name]) => name !== '');
  return [named.length, named.filter(([, some]) => some.every(isReady)).length];
}

function sourceCounters(rows: Rows): Counters {
  const [desiredReadyClusters, readyClusters] = groups(rows, ({ cluster }) => cluster);
  const perCluster = [...Map.groupBy(rows, ({ cluster }) => cluster || '/')].map(
    ([cluster, some]) => [cluster, resourceCountsOf(some)] as const,
  );
  return {
    readyClusters,
    desiredReadyClusters,
    display: { readyBundleDeployments: ratio(rows) },
    summary: summaryOf(rows),
    resourceCounts: resourceCountsOf(rows),
    perClusterResourceCounts: rows.length === 0 ? undefined : Object.fromEntries(perCluster),
  };
}

function clusterCounters(rows: Rows, objects: ObjectsOf): Counters {
  const known = rows.map((row) => ({
    ...row,
    repo: objects('GitRepo').has(row.repo) ? row.repo : '',
    helmOp: objects('HelmOp').has(row.helmOp) ? row.helmOp : '',
  }));
  const [desiredReadyGitRepos, readyGitRepos] = groups(known, ({ repo }) => repo);
  // The label of a GitRepo wins where there are both.
  const own = new Set(rows.filter(({ repo }) => repo === '').map(({ helmOp }) => helmOp));
  const [desiredReadyHelmOps, readyHelmOps] = groups(known, ({ helmOp }) =>
    own.has(helmOp) ? helmOp : '',
  );
  return {
    ...{ desiredReadyGitRepos, readyGitRepos, desiredReadyHelmOps, readyHelmOps },
    display: { readyBundles: ratio(rows) },
    summary: summaryOf(rows),
    resourceCounts: resourceCountsOf(rows),
  };
}

function groupCounters(rows: Rows, members: readonly string[], objects: ObjectsOf): Counters {
  const notReady = members.filter(
    (id) =>
      contactOf(objects('Cluster').get(id)) !== 'connected' ||
      !rows.filter(({ cluster }) => cluster === id).every(isReady),
  );
  const all = rows.filter(({ cluster }) => members.includes(cluster));
  const names = notReady.map((id) => id.slice(id.indexOf('/') + 1)).sort();
  const clusters = `${members.length - names.length}/${members.length}`;
  return {
    clusterCount: members.length,
    nonReadyClusterCount: names.length,
    nonReadyClusters: names.length === 0 ? undefined : names,
    display: {
      readyClusters: names.length === 0 ? clusters : `${clusters} (${names.join(',')})`,
      readyBundles: ratio(all),
    },
    summary: summaryOf(all),
    resourceCounts: resourceCountsOf(all),
  };
}

/** What the status of an object should count. */
export function naiveCounters(
  {
    kind,
    id,
    object,
  }: { readonly kind: AggregatedKind; readonly id: string; readonly object: JsonObject },
  rows: Rows,
  objects: ObjectsOf,
): Counters {
  switch (kind) {
    case 'Bundle': {
      const own = rows.filter(({ bundle }) => bundle === id);
      return {
        display: { readyClusters: ratio(own) },
        summary: summaryOf(own),
        unavailable: own.filter(({ unavailable }) => unavailable).length,
      };
    }
    case 'GitRepo':
      return sourceCounters(rows.filter(({ repo }) => repo === id));
    case 'HelmOp':
      return sourceCounters(rows.filter(({ helmOp }) => helmOp === id));
    case 'Cluster':
      return clusterCounters(
        rows.filter(({ cluster }) => cluster === id),
        objects,
      );
    case 'ClusterGroup':
      return groupCounters(rows, membersOf(object, objects), objects);
  }
}

function picked(object: JsonObject, like: object): Counters {
  return Object.fromEntries(Object.keys(like).map((member) => [member, object[member]]));
}

/** What a status does count, in the members that the naive count has, and everything in its summary but the list. */
export function countersOf({ fields }: DesiredStatus, naive: Counters): Counters {
  const { nonReadyResources: _, ...summary } = fields['summary'] as JsonObject;
  const display = picked(fields['display'] as JsonObject, naive['display'] as JsonObject);
  return { ...picked(fields, naive), summary, display: display as JsonObject };
}

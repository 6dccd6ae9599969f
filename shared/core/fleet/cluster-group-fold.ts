import { byWec, mergeFirst } from '#shared/core/collector/first-entries.ts';
import type { Fold } from '#shared/core/fold/fold.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { type ClusterContact, silenceText } from './cluster-contact.ts';
import type { ClusterPart } from './cluster-fold.ts';
import type { Heading } from './ready-message.ts';
import { addResourceCounts, NO_RESOURCES, type ResourceCounts } from './resource-counts.ts';
import {
  countOf,
  deploymentsIn,
  EMPTY_SUMMARY,
  MAX_LISTED,
  mergeSummaries,
  type SummaryPart,
} from './summary-fold.ts';

/** A cluster as a row of its ClusterGroups. */
export interface GroupRow {
  readonly namespace: string;
  readonly name: string;
  readonly contact: ClusterContact;
  readonly part: ClusterPart;
}

type Named = readonly [name: string, about: string];

/** Clusters with something in common: their number, and the first ones. */
interface NamedPart extends JsonObject {
  readonly count: number;
  readonly first: readonly Named[];
}

/** The fold of the clusters of a ClusterGroup. */
export interface GroupPart extends JsonObject {
  readonly clusters: number;
  readonly notReady: NamedPart;
  readonly silent: NamedPart;
  readonly never: NamedPart;
  readonly summary: SummaryPart;
  readonly counts: ResourceCounts;
}

const NONE: NamedPart = { count: 0, first: [] };

const NAMES = byWec<Named>(MAX_LISTED);

function named(isOne: boolean, name: string, about = ''): NamedPart {
  return isOne ? { count: 1, first: [[name, about]] } : NONE;
}

function mergeNamed(a: NamedPart, b: NamedPart): NamedPart {
  return { count: a.count + b.count, first: mergeFirst(a.first, b.first, NAMES) };
}

/** Whether the agent of a cluster reports, and all deployments of the cluster are Ready. */
export function isClusterReady({ contact, part }: Pick<GroupRow, 'contact' | 'part'>): boolean {
  const { summary } = part;
  return contact.type === 'connected' && countOf(summary, 'Ready') === deploymentsIn(summary);
}

/** The fold of the clusters of a ClusterGroup. */
export const CLUSTER_GROUP: Fold<GroupRow, GroupPart, GroupPart> = {
  empty: {
    clusters: 0,
    notReady: NONE,
    silent: NONE,
    never: NONE,
    summary: EMPTY_SUMMARY,
    counts: NO_RESOURCES,
  },
  lift: (row) => {
    const { namespace, name, contact, part } = row;
    const id = `${namespace}/${name}`;
    return {
      clusters: 1,
      notReady: named(!isClusterReady(row), name),
      silent: named(
        contact.type === 'silent',
        id,
        contact.type === 'silent' ? silenceText(contact.lastSeen) : '',
      ),
      never: named(contact.type === 'never', id),
      summary: part.summary,
      counts: part.counts,
    };
  },
  merge: (a, b) => ({
    clusters: a.clusters + b.clusters,
    notReady: mergeNamed(a.notReady, b.notReady),
    silent: mergeNamed(a.silent, b.silent),
    never: mergeNamed(a.never, b.never),
    summary: mergeSummaries(a.summary, b.summary),
    counts: addResourceCounts(a.counts, b.counts),
  }),
  finish: (part) => part,
};

/** The state of a Cluster that has never reported (Fleet, Status Fields, "Cluster specific states"). */
export const WAIT_CHECK_IN = 'WaitCheckIn';
/** The state of a Cluster that no longer reports. */
export const OFFLINE = 'Offline';

/** The headings of a message for clusters that do not report. */
export function contactHeadings({ silent, never }: Pick<GroupPart, 'silent' | 'never'>): Heading[] {
  return [
    { state: OFFLINE, part: silent },
    { state: WAIT_CHECK_IN, part: never },
  ].flatMap(({ state, part }) => {
    const [first] = part.first;
    if (first === undefined) return [];
    const [name, message] = first;
    return [{ state, count: part.count, kind: 'Cluster', name, message }];
  });
}

import { displayState, readyRatio } from './bundle-status.ts';
import type { ClusterContact } from './cluster-contact.ts';
import type { ClusterPart, SourceCell } from './cluster-fold.ts';
import {
  CLUSTER_GROUP,
  contactHeadings,
  type GroupPart,
  OFFLINE,
  WAIT_CHECK_IN,
} from './cluster-group-fold.ts';
import type { ConditionChange } from './condition.ts';
import { type DesiredStatus, errorCondition, readyCondition, saying } from './desired-status.ts';
import { readyMessage } from './ready-message.ts';
import { summaryJson, worstState } from './summary-fold.ts';

const PROCESSED: ConditionChange = { type: 'Processed', status: 'True' };

/** A Cluster with its deployments. */
export interface ClusterInputs {
  readonly namespace: string;
  readonly name: string;
  readonly contact: ClusterContact;
  readonly part: ClusterPart;
  /** Whether the GitRepo or HelmOp `<namespace>/<name>` exists. */
  readonly hasRepo: (id: string) => boolean;
  readonly hasHelmOp: (id: string) => boolean;
}

function ready({ cell }: SourceCell): boolean {
  return cell.ready === cell.deployments;
}

const SHOWN_CONTACT = { connected: '', never: WAIT_CHECK_IN, silent: OFFLINE } as const;

/** The status of a Cluster (Fleet, Status Fields, "Clusters", "Resource Counts"). */
export function clusterStatus(inputs: ClusterInputs): DesiredStatus {
  const { part, contact } = inputs;
  const { summary, counts } = part;
  const repos = part.repos.filter(({ source }) => inputs.hasRepo(source));
  const helmOps = part.helmOps.filter(({ source, own }) => own > 0 && inputs.hasHelmOp(source));
  const alone = CLUSTER_GROUP.lift(inputs);
  return {
    fields: {
      summary: summaryJson(summary),
      resourceCounts: counts,
      readyGitRepos: repos.filter(ready).length,
      desiredReadyGitRepos: repos.length,
      readyHelmOps: helmOps.filter(ready).length,
      desiredReadyHelmOps: helmOps.length,
      display: saying({
        readyBundles: readyRatio(summary),
        state: SHOWN_CONTACT[contact.type] || displayState(worstState(summary)),
      }),
    },
    absent: [],
    conditions: [
      readyCondition(readyMessage(summary, 'Bundle', contactHeadings(alone))),
      PROCESSED,
    ],
  };
}

function groupState(part: GroupPart): string {
  const worst = displayState(worstState(part.summary));
  if (worst !== '') return worst;
  if (part.silent.count > 0) return OFFLINE;
  return part.never.count > 0 ? WAIT_CHECK_IN : '';
}

function readyClusters({ clusters, notReady }: GroupPart): string {
  const names = notReady.first.map(([name]) => name).join(',');
  const ratio = `${clusters - notReady.count}/${clusters}`;
  return names === '' ? ratio : `${ratio} (${names})`;
}

/**
 * The status of a ClusterGroup (Fleet, Status Fields, "Propagation of Ready Status"; members as in Fleet's code).
 *
 * @param selectorErrors the errors of its selector; if there are any, it has no clusters
 */
export function clusterGroupStatus(
  part: GroupPart,
  selectorErrors: readonly string[],
): DesiredStatus {
  const { clusters, notReady, summary, counts } = part;
  const names = notReady.first.map(([name]) => name);
  const error = selectorErrors.join('; ');
  const processed = error === '' ? PROCESSED : errorCondition('Processed', error);
  return {
    fields: {
      clusterCount: clusters,
      nonReadyClusterCount: notReady.count,
      ...(names.length > 0 ? { nonReadyClusters: names } : {}),
      summary: summaryJson(summary),
      resourceCounts: counts,
      display: saying({
        readyClusters: readyClusters(part),
        readyBundles: readyRatio(summary),
        state: groupState(part),
      }),
    },
    absent: ['nonReadyClusters'],
    conditions: [
      error === ''
        ? readyCondition(readyMessage(summary, 'Bundle', contactHeadings(part)))
        : errorCondition('Ready', error),
      processed,
    ],
  };
}

import type { FleetMode } from '#shared/core/fleet-object.ts';
import type { Advice } from './messages.ts';

// What doctor says of the clusters that the writer writes: WDSes, and management clusters of Fleet.

const AS_THE_MESSAGE_SAYS = 'do what the message says';
const HINTS_WAIT = 'hints wait until then';

/** The writer has no WDS. */
export const NO_WDS: Advice = {
  message: 'no WDS is configured',
  remedy: 'add it to wdses in infra/settings.yml and deploy again',
};

/** The writer can use a cluster. */
export function permitted(cluster: string): string {
  return `${cluster} answers, and the writer has all permissions that it needs`;
}

/** A cluster denies `permissions` to the writer. */
export function notPermitted(cluster: string, permissions: string): string {
  return `${cluster} answers, but the writer may not ${permissions}`;
}

/** A cluster answers with an error. */
export function rejects(cluster: string, error: string): string {
  return `${cluster} answers, but rejects the request: ${error}`;
}

/** A cluster gives no answer. */
export function unreachable(cluster: string, error = 'it does not answer'): string {
  return `${cluster} cannot be reached: ${error}`;
}

/** The writer cannot use the kubeconfig of a cluster. */
export function notAsked(cluster: string, error: string): string {
  return `${cluster} cannot be asked: ${error}`;
}

/** Another installation writes a cluster. `message` says which, and what to do. */
export function takenByAnother(message: string): Advice {
  return { message, remedy: `${AS_THE_MESSAGE_SAYS}; ${HINTS_WAIT}` };
}

/** What an operator does about a cluster that the writer cannot use. */
export const CLUSTER_REMEDIES = {
  kubeconfig: `${AS_THE_MESSAGE_SAYS}; the kubeconfig is read again automatically, and ${HINTS_WAIT}`,
  silence: `check whether its API server runs and AWS can reach it; ${HINTS_WAIT}`,
} as const;

/** How an operator gives the writer its missing permissions in a cluster. */
export const GRANTS = {
  wds: 'allow it to the user of its kubeconfig in the WDS (infra/rbac/writer.yaml, docs/operations.md)',
  fleet: (mode: FleetMode): string =>
    `allow it to the user of its kubeconfig in the management cluster (infra/rbac/fleet-${mode}.yaml, docs/operations.md)`,
} as const;

/** The function has not answered with checks. `answer` is what it has returned instead. */
export function noChecks(functionName: string, answer: string): Advice {
  return {
    message: `${functionName} did not answer whether the WDSes can be reached: ${answer}`,
    remedy: 'see its log; after an update, deploy it again',
  };
}

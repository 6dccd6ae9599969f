import { WRITER_LEASE } from '#shared/doctor/writer-mark.ts';

/** What `starfold takeover` asks and prints, and why it fails. `context` names the cluster. */
export const TAKEOVER = {
  changed: (context: string): string =>
    `${context}: the writer was changed in the meantime, so nothing was done: repeat the command to see the new one`,
  forbidden: (context: string, error: string): string =>
    `${context}: ${error}: the user of this command needs get, create and update of leases.coordination.k8s.io in the namespace ${WRITER_LEASE.namespace}`,
  unavailable: (context: string, error: string): string =>
    `${context}: ${error}: check that its API server answers, and the server of this context in the kubeconfig`,
  noTerminal: (context: string, holder: string, identity: string): string =>
    `${holder} writes ${context}: give --yes to replace it with ${identity}, because there is no terminal for the question`,
  question: (context: string, holder: string, identity: string): string =>
    `${holder} writes ${context}. Replace it with ${identity}?`,
  declined: (holder: string): string => `nothing was changed: ${holder} writes the cluster`,
  first: (context: string, identity: string): string =>
    `${identity} writes ${context} from now on; it had no writer before.`,
  same: (context: string, identity: string): string => `${identity} writes ${context} already.`,
  replaced: (context: string, before: string, identity: string): string =>
    `${identity} writes ${context} from now on. ${before} may write for another minute, and notices this at its next write after that.`,
  /** What the mark of the cluster says of the new writer until that runs. */
  runsAs: 'made the writer by starfold takeover',
} as const;

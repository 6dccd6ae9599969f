import { noObjectWith } from '#shared/core/field-messages.ts';

// The sentences about Fleet's objects that Fleet's own controllers do not write. Those about a field follow its path and a colon.

/** The condition Ready of a GitRepo or HelmOp without deployments. */
export const NO_TARGETS = 'no cluster is targeted';

/** An entry of the targets or restrictions of a Bundle. */
export const NO_CRITERIA = noObjectWith(
  'clusterName, clusterSelector, clusterGroup or clusterGroupSelector',
);

const TARGETING = 'targeting error: ';

/** The errors in the targets of a Bundle, by field, in the words of Fleet's controller. */
export function targetingError(errors: readonly string[]): string {
  return `${TARGETING}${errors.join('; ')}`;
}

/** Whether {@link targetingError} gave this message, and not Fleet's controller. */
export function isTargetingError(message: string): boolean {
  return message.startsWith(`${TARGETING}spec.`);
}

/** What the status of a GitRepo or HelmOp leaves out, because it would be too large. 0 is for nothing. */
export interface LeftOut {
  /** Resources that are not listed. */
  readonly resources: number;
  /** Resources of which some clusters are not named. */
  readonly cut: number;
  /** Clusters that `perClusterResourceCounts` does not have. */
  readonly clusters: number;
}

/** `''` if nothing is left out. */
export function leftOut({ resources, cut, clusters }: LeftOut): string {
  return [
    resources > 0 ? `${resources} resources are left out` : '',
    cut > 0 ? `of ${cut} resources not all clusters are named` : '',
    clusters > 0 ? `perClusterResourceCounts leaves out ${clusters} clusters` : '',
  ]
    .filter((text) => text !== '')
    .join('; ');
}

import type { DeploymentRow } from '#shared/core/fleet/deployment-row.ts';
import type { StatusSelector } from '#shared/core/status-api/selector.ts';
import type { PageRequest, Scope, StatusPage } from './status-source.ts';

/**
 * The BundleDeployments of one management cluster of Fleet that belong to a Bundle, as the statuses of Fleet count them.
 *
 * Every method may throw `StoreUnavailableError` (retryable).
 */
export interface BundleDeployments {
  /** Undefined if there is none of that name. */
  deployment(name: {
    readonly namespace: string;
    readonly name: string;
  }): Promise<DeploymentRow | undefined>;
  /**
   * A page, in an order that stays the same. The selector is applied exactly, by what `selectableDeployment` says.
   *
   * @throws InvalidContinuationError if `after` is no `next` of such a list
   */
  deployments(
    request: PageRequest & { readonly scope: Scope; readonly selector: StatusSelector },
  ): Promise<StatusPage<DeploymentRow>>;
}

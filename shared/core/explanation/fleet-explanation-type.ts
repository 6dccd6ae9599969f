import type { BundleState } from '#shared/core/fleet/bundle-state.ts';
import type { JsonValue } from '#shared/core/json.ts';
import type { API_VERSION } from '#shared/core/status-api/api-version.ts';

/**
 * The stable names of the rules of Fleet's statuses. docs/fleet.md ("Explanations") has what they mean.
 */
export const FLEET_RULE_NAMES = ['count', 'worst-state', 'first-per-state', 'own'] as const;

/** The name of a rule. */
export type FleetRuleName = (typeof FLEET_RULE_NAMES)[number];

/** A target of a Bundle that decides a field. */
export interface FleetDecider {
  /** The Cluster, as `<namespace>/<name>`. `''` if the BundleDeployment belongs to none. */
  readonly wec: string;
  /** As `<namespace>/<name>`. Absent if the Cluster still waits for its BundleDeployment. */
  readonly bundleDeployment?: string;
  /** The Bundle, as `<namespace>/<name>`. */
  readonly bundle: string;
  readonly value: BundleState;
}

/** Which rule gives a field of a status of Fleet its value, and which targets decide it. */
export interface FleetFieldExplanation {
  readonly path: string;
  readonly value: JsonValue;
  readonly rule: FleetRuleName;
  readonly documentation: string;
  /** Absent if the object itself decides. */
  readonly decidedBy?: readonly FleetDecider[] | readonly [{ readonly all: true }];
}

/** Why the status of one of Fleet's objects is what it is. */
export interface FleetExplanation {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'Explanation';
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly workload: {
    readonly group: string;
    readonly resource: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
  };
  readonly without?: readonly string[];
  readonly decision: {
    readonly action: 'Aggregate' | 'Leave';
    readonly reason: string;
    readonly bindings: readonly never[];
  };
  readonly wecs: {
    /** The number of targets. */
    readonly qualified: number;
    /** The number of BundleDeployments. */
    readonly reported: number;
    readonly silent: readonly string[];
    /** The Clusters that wait for a BundleDeployment. */
    readonly missing: readonly string[];
    readonly tooLarge: readonly never[];
  };
  /** The worst state of a target. Absent if there are no targets. */
  readonly verdict?: {
    readonly status: BundleState;
    /** 0 is Ready, and a greater rank is worse. */
    readonly rank: number;
    readonly message: string;
    readonly decidedBy: readonly FleetDecider[];
    /** How many of the other targets have each state. */
    readonly others: Readonly<Partial<Record<BundleState, number>>>;
  };
  readonly fields: readonly FleetFieldExplanation[];
}

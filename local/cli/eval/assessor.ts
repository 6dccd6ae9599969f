import type { ResourceSummary } from '#shared/core/fleet/resource/rule.ts';
import { summarizeResource } from '#shared/core/fleet/resource/summary.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import { assessKstatus } from '#shared/core/health/kstatus/kstatus.ts';
import {
  KSTATUS_ORDER,
  type KstatusCondition,
  NOT_FOUND,
} from '#shared/core/health/kstatus/verdict.ts';
import type { ArgoCdVersion } from '#shared/core/health/verdict.ts';
import { ARGO_CD_ORDER } from '#shared/core/health/verdict.ts';
import type { JsonObject } from '#shared/core/json.ts';

/** A verdict on one object, by Argo CD or kstatus. */
export interface StatusVerdict {
  readonly status: string;
  /** Empty if there is no message. */
  readonly message: string;
  /** The conditions that kstatus would set on the object. Argo CD sets none. */
  readonly conditions?: readonly KstatusCondition[];
}

/** A verdict on one object. Fleet's has a form of its own. */
export type Health = StatusVerdict | ResourceSummary;

/** A tool that judges objects. */
export interface Assessor {
  /** The verdict on an object as it is in its cluster, or null if there is no rule for the kind. */
  assess(object: JsonObject): Health | null;
  /**
   * The verdict on an object that was not given for its cluster.
   *
   * @param why the message if the assessor would have none, or would only report that there is no such object
   */
  absent(why: string): Health;
  /** A greater number is worse. */
  severity(health: Health): number;
}

/** The position of a status in a list from the worst to the best. */
function severityIn(worstFirst: readonly string[]): Assessor['severity'] {
  return (health) => ('status' in health ? -worstFirst.indexOf(health.status) : 0);
}

/** A version of Argo CD. */
export function argoCdAssessor(version: ArgoCdVersion): Assessor {
  return {
    assess: (object) => {
      const verdict = assessArgoCd(object, version);
      return verdict && { status: verdict.status, message: verdict.message ?? '' };
    },
    absent: (message) => ({ status: 'Missing', message }),
    severity: severityIn(ARGO_CD_ORDER.toReversed()),
  };
}

/**
 * kstatus.
 *
 * @param nowMs the current time in milliseconds since the epoch
 */
export function kstatusAssessor(nowMs: number): Assessor {
  return {
    assess: (object) => assessKstatus(object, nowMs),
    absent: (message) => ({ ...NOT_FOUND, message }),
    severity: severityIn(KSTATUS_ORDER),
  };
}

/**
 * Rancher Fleet's agent. An object with an error is worse than one in transition.
 *
 * @param nowMs the current time in milliseconds since the epoch
 */
export function fleetAssessor(nowMs: number): Assessor {
  return {
    assess: (object) => summarizeResource(object, { nowMs }),
    // Fleet counts it as missing, which is a modification.
    absent: (why) => ({ state: 'missing', error: true, transitioning: false, message: [why] }),
    severity: (health) => {
      if (!('state' in health)) return 0;
      return (health.error ? 2 : 0) + (health.transitioning ? 1 : 0);
    },
  };
}

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

/** A verdict on one object. */
export interface Health {
  readonly status: string;
  /** Empty where there is nothing to say. */
  readonly message: string;
  /** Those that kstatus would have on the object; Argo CD has none. */
  readonly conditions?: readonly KstatusCondition[];
}

/** Who judges objects. */
export interface Assessor {
  /** The verdict on an object as it stands in its cluster; null where there is no rule for the kind. */
  assess(object: JsonObject): Health | null;
  /** The verdict on an object that its cluster does not have. */
  readonly absent: Health;
  /** All that `status` can be, from worst to best. */
  readonly worstFirst: readonly string[];
}

/** Argo CD of a version. */
export function argoCdAssessor(version: ArgoCdVersion): Assessor {
  return {
    assess: (object) => {
      const verdict = assessArgoCd(object, version);
      return verdict && { status: verdict.status, message: verdict.message ?? '' };
    },
    absent: { status: 'Missing', message: '' },
    worstFirst: ARGO_CD_ORDER.toReversed(),
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
    absent: NOT_FOUND,
    worstFirst: KSTATUS_ORDER,
  };
}

/** Selects the rules if the versions of Argo CD differ: 2.14 (and all before 3), or 3. */
export type ArgoCdVersion = '2.14' | '3';

/** Argo CD's health of one object. */
export type ArgoCdStatus =
  | 'Healthy'
  | 'Suspended'
  | 'Progressing'
  | 'Missing'
  | 'Degraded'
  | 'Unknown';

/** Argo CD's verdict on one object. A healthy object often has no message. */
export interface ArgoCdVerdict {
  readonly status: ArgoCdStatus;
  readonly message?: string;
}

/** Argo CD's order, from best to worst. An application is as healthy as the worst of its objects. */
export const ARGO_CD_ORDER: readonly ArgoCdStatus[] = [
  'Healthy',
  'Suspended',
  'Progressing',
  'Missing',
  'Degraded',
  'Unknown',
];

/** Whether `a` is strictly worse than `b` in Argo CD's order. */
export function isWorse(a: ArgoCdStatus, b: ArgoCdStatus): boolean {
  return ARGO_CD_ORDER.indexOf(a) > ARGO_CD_ORDER.indexOf(b);
}

/** The worst of some statuses. Healthy if there are none. */
export function worst(statuses: Iterable<ArgoCdStatus>): ArgoCdStatus {
  let found: ArgoCdStatus = 'Healthy';
  for (const status of statuses) if (isWorse(status, found)) found = status;
  return found;
}

/** The status of a workload object that has no aggregated status, or that Argo CD does not judge. */
export const NO_VERDICT = 'None';

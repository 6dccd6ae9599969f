/** kstatus's word for one object. */
export type KstatusStatus =
  | 'Failed'
  | 'Unknown'
  | 'NotFound'
  | 'Terminating'
  | 'InProgress'
  | 'Current';

/** A condition that kstatus would have on the object; there is one only where something is not as it should be. */
export interface KstatusCondition {
  readonly type: 'Reconciling' | 'Stalled';
  readonly status: 'True';
  readonly reason: string;
  readonly message: string;
}

/** What kstatus says about one object. */
export interface KstatusVerdict {
  readonly status: KstatusStatus;
  readonly message: string;
  readonly conditions: readonly KstatusCondition[];
}

/**
 * From worst to best. As cli-utils aggregates (`pkg/kstatus/polling/aggregator`): one Failed object fails the whole, then
 * one Unknown object makes it Unknown, then everything else that is not Current keeps it from being so. Those are ordered
 * by how far they are from Current.
 */
export const KSTATUS_ORDER: readonly KstatusStatus[] = [
  'Failed',
  'Unknown',
  'NotFound',
  'Terminating',
  'InProgress',
  'Current',
];

/** The object is as it is wanted. */
export function current(message: string): KstatusVerdict {
  return { status: 'Current', message, conditions: [] };
}

/** The object is on its way: condition Reconciling. */
export function inProgress(reason: string, message: string): KstatusVerdict {
  const conditions = [{ type: 'Reconciling', status: 'True', reason, message }] as const;
  return { status: 'InProgress', message, conditions };
}

/**
 * The object has failed: condition Stalled.
 *
 * @param message what kstatus says
 * @param conditionMessage what the condition says; by default the same
 */
export function failed(
  reason: string,
  message: string,
  conditionMessage: string = message,
): KstatusVerdict {
  const stalled = { type: 'Stalled', status: 'True', reason, message: conditionMessage } as const;
  return { status: 'Failed', message, conditions: [stalled] };
}

/** kstatus cannot tell: what the object holds is not what its kind holds. */
export function unknown(message: string): KstatusVerdict {
  return { status: 'Unknown', message, conditions: [] };
}

/** What kstatus says about an object that its cluster does not have. */
export const NOT_FOUND: KstatusVerdict = {
  status: 'NotFound',
  message: 'Resource not found',
  conditions: [],
};

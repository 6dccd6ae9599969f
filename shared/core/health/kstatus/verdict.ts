/** The status that kstatus gives one object. */
export type KstatusStatus =
  | 'Failed'
  | 'Unknown'
  | 'NotFound'
  | 'Terminating'
  | 'InProgress'
  | 'Current';

/** A condition that kstatus would set on the object. There is one only if the object is not as wanted. */
export interface KstatusCondition {
  readonly type: 'Reconciling' | 'Stalled';
  readonly status: 'True';
  readonly reason: string;
  readonly message: string;
}

/** The verdict of kstatus on one object. */
export interface KstatusVerdict {
  readonly status: KstatusStatus;
  readonly message: string;
  readonly conditions: readonly KstatusCondition[];
}

/**
 * From worst to best. The order follows the aggregation of cli-utils (`pkg/kstatus/polling/aggregator`): if one object
 * is Failed, the whole is Failed. Otherwise, if one is Unknown, the whole is Unknown. Otherwise, any object that is not
 * Current keeps the whole from being Current. Those are ordered by how far they are from Current.
 */
export const KSTATUS_ORDER: readonly KstatusStatus[] = [
  'Failed',
  'Unknown',
  'NotFound',
  'Terminating',
  'InProgress',
  'Current',
];

/** The object is as wanted. */
export function current(message: string): KstatusVerdict {
  return { status: 'Current', message, conditions: [] };
}

/** The object is in progress: condition Reconciling. */
export function inProgress(reason: string, message: string): KstatusVerdict {
  const conditions = [{ type: 'Reconciling', status: 'True', reason, message }] as const;
  return { status: 'InProgress', message, conditions };
}

/**
 * The object has failed: condition Stalled.
 *
 * @param message the message of the verdict
 * @param conditionMessage the message of the condition; by default the same
 */
export function failed(
  reason: string,
  message: string,
  conditionMessage: string = message,
): KstatusVerdict {
  const stalled = { type: 'Stalled', status: 'True', reason, message: conditionMessage } as const;
  return { status: 'Failed', message, conditions: [stalled] };
}

/** kstatus has no verdict, because the content of the object does not match its kind. */
export function unknown(message: string): KstatusVerdict {
  return { status: 'Unknown', message, conditions: [] };
}

/** The verdict of kstatus on an object that does not exist in its cluster. */
export const NOT_FOUND: KstatusVerdict = {
  status: 'NotFound',
  message: 'Resource not found',
  conditions: [],
};

import { boundedErrors } from '#shared/core/error-list.ts';
import { equalJson } from '#shared/core/json.ts';
import { objectKey, type WorkloadRef } from '#shared/core/workload.ts';

/**
 * What notifications are about:
 * - `verdict`: Argo CD's verdict on a workload object with its aggregated status;
 * - `refusals`: what the API server has rejected of a workload object's results;
 * - `silence`: whether a WEC is silent.
 */
export const TOPIC_TYPES = ['verdict', 'refusals', 'silence'] as const;
/** The type of a {@link Topic}. */
export type TopicType = (typeof TOPIC_TYPES)[number];

/** One thing that has one state at a time, and of whose changes others are notified. */
export type Topic =
  | { readonly type: 'verdict' | 'refusals'; readonly workload: WorkloadRef }
  | { readonly type: 'silence'; readonly wec: string };

/** The state of a topic. */
export interface TopicState {
  /**
   * - `verdict`: Argo CD's status, or `None` (`NO_VERDICT`);
   * - `refusals`: `Refused` or `Accepted`;
   * - `silence`: `Silent` or `Reporting`.
   */
  readonly status: string;
  /** Why, for people. */
  readonly message?: string;
  /** What the API server has rejected, and why. */
  readonly refused?: readonly string[];
  /** When a silent WEC was last heard, according to its own report, RFC 3339. */
  readonly lastContact?: string;
}

/** The status of a WEC whose forwarder sends heartbeats, and of one whose forwarder does not. */
export const REPORTING = 'Reporting';
export const SILENT = 'Silent';
/** The status of a workload object of which the API server has rejected something. */
export const REFUSED = 'Refused';
/** The state of a workload object of which the API server has rejected nothing. */
export const ACCEPTED: TopicState = { status: 'Accepted' };

/** The state of a workload object of which the API server has rejected these things. It is stored, so it is bounded. */
export function refusalState(refused: readonly string[]): TopicState {
  return refused.length === 0 ? ACCEPTED : { status: REFUSED, refused: boundedErrors(refused) };
}

/** Whether nobody has to be notified of the second state after the first. Only the message may differ. */
export function isSameState(a: TopicState, b: TopicState): boolean {
  return a.status === b.status && equalJson(refusedOf(a), refusedOf(b));
}

function refusedOf({ refused = [] }: TopicState): string[] {
  return [...refused];
}

/** The context of a topic, as the attribute `source` of a CloudEvent: `/wds/<name>` or `/wec/<name>`. */
export function topicSource(topic: Topic): string {
  return topic.type === 'silence' ? `/wec/${topic.wec}` : `/wds/${topic.workload.wds}`;
}

/** The topic within its source, as the attribute `subject`: `<group>/<resource>/<namespace>/<name>`, or the WEC's name. */
export function topicSubject(topic: Topic): string {
  return topic.type === 'silence' ? topic.wec : objectKey(topic.workload);
}

/** A text that identifies a topic. */
export function topicText(topic: Topic): string {
  return `${topic.type} ${topicSource(topic)} ${topicSubject(topic)}`;
}

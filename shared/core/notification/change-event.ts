import { boundedText } from '#shared/core/error-list.ts';
import { secondsText } from '#shared/core/expression/time.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { type Topic, type TopicState, type TopicType, topicSource, topicSubject } from './topic.ts';

/** The types of the CloudEvents, by the type of their topic. */
export const EVENT_TYPES: Readonly<Record<TopicType, string>> = {
  verdict: 'dev.starfold.verdict.changed.v1',
  refusals: 'dev.starfold.refusals.changed.v1',
  silence: 'dev.starfold.silence.changed.v1',
};

/** The maximum length of a message in UTF-16 code units. */
const MAX_MESSAGE = 1000;

/** A change of a topic. */
export interface TopicChange {
  readonly topic: Topic;
  /** The status of which receivers were notified before, or that the topic had before. */
  readonly previous: string;
  readonly state: TopicState;
  /** Greater than that of every earlier change of the topic. */
  readonly sequence: number;
  /** When the change was noticed, in milliseconds since the epoch. */
  readonly nowMs: number;
}

function dataOf({ topic, previous, state }: TopicChange): JsonObject {
  const { status, message, refused, lastContact } = state;
  return {
    ...(topic.type === 'silence' ? { wec: topic.wec } : { workload: { ...topic.workload } }),
    status,
    previous,
    ...(message === undefined ? {} : { message: boundedText(message, MAX_MESSAGE) }),
    ...(refused === undefined ? {} : { refused: [...refused] }),
    ...(lastContact === undefined ? {} : { lastContact }),
  };
}

/**
 * A change as a CloudEvent (CloudEvents 1.0) without its `id`, which is made of all the rest. `sequence` orders the events of one
 * `source`, `subject` and `type`, as text.
 */
export function changeEvent(change: TopicChange): JsonObject {
  const { topic, sequence, nowMs } = change;
  return {
    specversion: '1.0',
    type: EVENT_TYPES[topic.type],
    source: topicSource(topic),
    subject: topicSubject(topic),
    time: secondsText(nowMs),
    sequence: String(sequence).padStart(16, '0'),
    datacontenttype: 'application/json',
    data: dataOf(change),
  };
}

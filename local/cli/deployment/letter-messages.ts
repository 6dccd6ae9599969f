import { counted } from '#shared/core/counted.ts';

// What doctor and `starfold redrive` say of a message in a dead-letter queue: what it is about, why it is there, and the remedy.

/** A message has a heartbeat among its events. */
export const HEARTBEAT = 'a heartbeat';

/** A message has the last event of a listing. */
export const END_OF_LISTING = 'the end of a listing';

/** A message has an event about the ManagedCluster of a WEC. */
export const LABELS = 'labels of a WEC';

/** A message has events, and none can be read. */
export function unreadableEvents(count: number): string {
  return `${counted(count, 'event')} that cannot be read`;
}

/** A message has events. `sources` and `contents` name the first of them. */
export function eventsOf(count: number, sources: string, contents: string): string {
  return `${counted(count, 'event')} of ${sources}: ${contents}`;
}

/** Several things are named, and there are `more`. */
export function withMore(names: string, more: number): string {
  return `${names} and ${more} more`;
}

/** A WDS, or a management cluster of Fleet, has an object. */
export function ofCluster(object: string, cluster: string): string {
  return `${object} of ${cluster}`;
}

/** A message is work of aggregate-workload. `subject` is a title with its cluster. */
export const WORK = {
  aggregation: (subject: string): string => `aggregation of ${subject}`,
  members: (binding: string, wds: string): string =>
    `workload objects of ${ofCluster(`Binding ${binding}`, wds)}`,
  sweep: (source: string): string => `sweep of what ${source} no longer has`,
  inventory: (namespace: string, upstream: string): string =>
    `objects in namespace ${ofCluster(namespace, upstream)}`,
} as const;

/** A message is work of write-results. `subject` is a title with its cluster. */
export function writingOf(subject: string): string {
  return `writing of ${subject}`;
}

/** A notification is about a source, or about `subject`, which the source has. */
export function topicTitle(type: string, source: string, subject: string): string {
  return `${type} of ${source} ${subject}`;
}

/** A receiver has not got an event. `topic` is what it is about. */
export function eventFor(receiver: string, topic: string): string {
  return `event for ${receiver}: ${topic}`;
}

/** Nobody could be notified of a change. `topic` is what it is about. */
export function changeOf(topic: string): string {
  return `change of the ${topic}`;
}

/** A message claims to be a letter of record-events. */
export const FOREIGN_LETTER = 'a message in the form of a dead letter';

/** This release cannot read a message, but a newer one can. */
export const NEWER_MESSAGE = 'a message of a newer release';

/** A message does not belong in its queue. */
export function noMessageOf(queue: string): string {
  return `no message of the queue ${queue}`;
}

/** Why a dead-letter queue has a message. `handler` is the function that handles the queue. */
export const REASONS = {
  failed: (handler: string): string =>
    `its handling failed again and again; the log of ${handler} says why`,
  unreadable: 'nothing in it can be read',
  foreign: 'record-events has not written it, so its content does not count',
} as const;

/** A command registers a sender, but it is not known for which source. */
export const REGISTER = 'starfold register';

/** A command registers a sender for a source. */
export function registerCommand(source: string, principal: string): string {
  return `${REGISTER} ${source} --principal ${principal}`;
}

/** A command deletes one message. */
export function discardCommand(messageId: string): string {
  return `starfold redrive --discard --message ${messageId}`;
}

/** What an operator does about a message in a dead-letter queue. */
export const LETTER_REMEDIES = {
  failed: 'is sent back automatically each hour; starfold redrive sends it back now',
  newer:
    'that release sends it back automatically each hour; its starfold redrive sends it back now',
  noMessage: 'starfold redrive --discard removes it',
  foreign: 'find out who sent it',
  forgedSender: (register: string): string =>
    `if the sender is legitimate: ${register}, then starfold redrive; if not: remove its access`,
  unreadable:
    'follow the reasons, or update the older one of forwarder and functions, then starfold redrive',
  overQuota:
    'have its forwarder select fewer objects, or raise objectsPerWec in infra/settings.yml and deploy; then wait for its next snapshot, restart it, or starfold redrive',
} as const;

/** The operator may also delete the message. `remedy` is one of {@link LETTER_REMEDIES}. */
export function orDiscard(remedy: string, messageId: string): string {
  return `${remedy}; ${discardCommand(messageId)} removes it`;
}

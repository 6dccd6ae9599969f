import { counted } from '#shared/core/counted.ts';

// The sentences of `starfold redrive`, and of doctor, about the messages of dead-letter queues.

/** A heartbeat, among the events of a message. */
export const HEARTBEAT = 'a heartbeat';

/** The last event of a listing. */
export const END_OF_LISTING = 'the end of a listing';

/** Events of which none can be read. */
export function unreadableEvents(count: number): string {
  return `${count} events that cannot be read`;
}

/** `sources` and `contents` are the first of them by name. */
export function eventsOf(count: number, sources: string, contents: string): string {
  return `${count} events of ${sources}: ${contents}`;
}

/** `subject` is its title with its WDS. */
export function writingOf(subject: string): string {
  return `writing of ${subject}`;
}

/** An event that `receiver` should have got. `topic` is what it is about. */
export function eventFor(receiver: string, topic: string): string {
  return `event for ${receiver}: ${topic}`;
}

/** A change of which nobody could be notified. */
export function changeOf(topic: string): string {
  return `change of the ${topic}`;
}

/** A message that claims to be a letter of record-events. */
export const FOREIGN_LETTER = 'a message in the form of a dead letter';

/** A message that this release cannot read. */
export const NEWER_MESSAGE = 'a message of a newer release';

/** The command that deletes one message. */
export function discardCommand(messageId: string): string {
  return `starfold redrive --discard --message ${messageId}`;
}

/** Why a message is not sent back. */
export const STAYS = {
  letter: 'stays: only a letter that record-events has written is sent back',
  newer: 'stays: only a newer release can read it',
  unreadable: 'stays: it cannot be read',
  'too-large': 'stays: it is too large for a message with the name of its sender',
} as const;

/** No message is in any queue. */
export const NO_DEAD_LETTERS = 'The dead-letter queues are empty.\n';

/** Messages were only shown. */
export const NOTHING_DONE = 'nothing was sent back or deleted';

/** `count` is the number of messages that are shown. */
export function sendQuestion(count: number): string {
  return `Send ${counted(count, 'message')} back to ${count === 1 ? 'its queue' : 'their queues'}?`;
}

/** `count` is the number of messages that are shown. */
export function deleteQuestion(count: number): string {
  return `Delete ${counted(count, 'message')} permanently?`;
}

/** The numbers of messages, by what became of them. */
export interface RedriveCounts {
  readonly sent?: number;
  readonly deleted?: number;
  readonly left?: number;
  /** Messages that another process has received or handled meanwhile. */
  readonly gone?: number;
}

/** The last line of the command, which either sends back or deletes. */
export function redriveSummary({
  sent = 0,
  deleted = 0,
  left = 0,
  gone = 0,
}: RedriveCounts): string {
  return [
    deleted > 0
      ? `${counted(deleted, 'message')} deleted`
      : `${counted(sent, 'message')} sent back`,
    ...(left > 0 ? [`${left} left as they are`] : []),
    ...(gone > 0 ? [`${gone} not found again: another process has received or handled them`] : []),
  ].join(', ');
}

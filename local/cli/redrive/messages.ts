import { counted } from '#shared/core/counted.ts';

// What `starfold redrive` shows, asks and has done. What a message is about is in letter-messages.ts.

/** Why the command does not send a message back. */
export const STAYS = {
  letter: 'stays: only a letter that record-events has written is sent back',
  newer: 'stays: only a newer release can read it',
  unreadable: 'stays: it cannot be read',
  'too-large': 'stays: it is too large for a message with the name of its sender',
} as const;

/** The command can send a message back. */
export const CAN_GO_BACK = 'can go back';

/** What the command shows of a message, line by line. */
export const MESSAGE_LINES = {
  head: (queue: string, messageId: string, age: string): string =>
    `${queue} ${messageId}, ${age} old`,
  what: (kind: string, about: string): string => `${kind}: ${about}`,
  sender: (sender: string): string => `sender: ${sender}`,
  reason: (reason: string): string => `reason: ${reason}`,
  fate: (fate: string, remedy: string): string => `${fate}; ${remedy}`,
} as const;

/** No queue has a message. */
export const NO_DEAD_LETTERS = 'The dead-letter queues are empty.\n';

/** The command has only shown messages. */
export const NOTHING_DONE = 'nothing was sent back or deleted';

/** The deployment does not have the queue of `--queue`. */
export function noQueue(stage: string, queue: string): string {
  return `stage ${stage} has no queue ${queue}: its settings name no notifications (docs/notifications.md)`;
}

/** No queue has the messages of `--message`. */
export function unknownMessages(ids: string): string {
  return `no message ${ids} in the dead-letter queues: another process may be reading it (retry in some minutes), or it was deleted`;
}

/** The queues have messages that were not shown before the question. */
export const MORE_MESSAGES =
  'there are more messages, which arrived later or were behind the others of a group: run the command again';

/** `--discard` does not delete `count` messages unless they are named. */
export function notDeleted(count: number): string {
  return `${counted(count, 'message')} not deleted: --discard deletes unusable messages, and others only if they are named (--discard --message ID)`;
}

/** The command cannot ask anybody. */
export const NO_TERMINAL =
  'there is no terminal for the question: give --yes, or --dry-run to only show them';

/** The command asks whether it is to send back the `count` messages that it shows. */
export function sendQuestion(count: number): string {
  return `Send ${counted(count, 'message')} back to ${count === 1 ? 'its queue' : 'their queues'}?`;
}

/** The command asks whether it is to delete the `count` messages that it shows. */
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

/** The command has sent back or deleted messages, or has left them. */
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

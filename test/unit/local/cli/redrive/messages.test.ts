import { expect, it } from 'vitest';
import {
  CAN_GO_BACK,
  deleteQuestion,
  MESSAGE_LINES,
  MORE_MESSAGES,
  NO_DEAD_LETTERS,
  NO_TERMINAL,
  NOTHING_DONE,
  noQueue,
  notDeleted,
  redriveSummary,
  STAYS,
  sendQuestion,
  unknownMessages,
} from '#local/cli/redrive/messages.ts';

it.each([
  [sendQuestion(1), 'Send 1 message back to its queue?'],
  [sendQuestion(2), 'Send 2 messages back to their queues?'],
  [deleteQuestion(1), 'Delete 1 message permanently?'],
  [redriveSummary({ sent: 1 }), '1 message sent back'],
  [redriveSummary({ sent: 0, left: 2 }), '0 messages sent back, 2 left as they are'],
  [
    redriveSummary({ deleted: 2, gone: 1 }),
    '2 messages deleted, 1 not found again: another process has received or handled them',
  ],
])('the sentence is: %s', (text, sentence) => {
  expect(text).toBe(sentence);
});

it('says what is known of each message, and what was not done', () => {
  expect([
    STAYS.letter,
    STAYS.newer,
    STAYS.unreadable,
    STAYS['too-large'],
    MESSAGE_LINES.head('hints', 'm1', '60 min'),
    MESSAGE_LINES.what('failed', 'a heartbeat'),
    MESSAGE_LINES.sender('AROAX'),
    MESSAGE_LINES.reason('it is late'),
    MESSAGE_LINES.fate(CAN_GO_BACK, 'wait'),
    NO_DEAD_LETTERS,
    NOTHING_DONE,
    noQueue('prod', 'notifications'),
    unknownMessages('m1, m2'),
    MORE_MESSAGES,
    notDeleted(1),
    notDeleted(2),
    NO_TERMINAL,
  ]).toEqual([
    'stays: only a letter that record-events has written is sent back',
    'stays: only a newer release can read it',
    'stays: it cannot be read',
    'stays: it is too large for a message with the name of its sender',
    'hints m1, 60 min old',
    'failed: a heartbeat',
    'sender: AROAX',
    'reason: it is late',
    'can go back; wait',
    'The dead-letter queues are empty.\n',
    'nothing was sent back or deleted',
    'stage prod has no queue notifications: its settings name no notifications (docs/notifications.md)',
    'no message m1, m2 in the dead-letter queues: another process may be reading it (retry in some minutes), or it was deleted',
    'there are more messages, which arrived later or were behind the others of a group: run the command again',
    '1 message not deleted: --discard deletes unusable messages, and others only if they are named (--discard --message ID)',
    '2 messages not deleted: --discard deletes unusable messages, and others only if they are named (--discard --message ID)',
    'there is no terminal for the question: give --yes, or --dry-run to only show them',
  ]);
});

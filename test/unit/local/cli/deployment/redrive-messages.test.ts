import { expect, it } from 'vitest';
import {
  deleteQuestion,
  redriveSummary,
  sendQuestion,
} from '#local/cli/deployment/redrive-messages.ts';

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

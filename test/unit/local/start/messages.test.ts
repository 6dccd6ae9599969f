import { expect, test } from 'vitest';
import { stillWaiting } from '#local/start/demo-messages.ts';
import { errorCount, moreWorkloads, withMoreWecs } from '#local/start/display-messages.ts';
import { deadLetters } from '#local/start/messages.ts';

test.each([
  [errorCount, '1 error', '2 errors'],
  [moreWorkloads, '… 1 more workload object', '… 2 more workload objects'],
  [(wecs: number) => withMoreWecs('web', wecs), 'web  (1 more WEC)', 'web  (2 more WECs)'],
  [stillWaiting, '1 message is still waiting', '2 messages are still waiting'],
  [
    deadLetters,
    '1 message could not be handled; starfold.log beside the state file has the reasons',
    '2 messages could not be handled; starfold.log beside the state file has the reasons',
  ],
])('one and several are told in the right form: %s', (message, one, several) => {
  expect([message(1), message(2)]).toEqual([one, several]);
});

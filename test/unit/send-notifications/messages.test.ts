import { expect, it } from 'vitest';
import {
  noAnswer,
  notTried,
  unusableNotifications,
} from '#functions/send-notifications/messages.ts';

it.each([
  [notTried(noAnswer(1)), 'not tried, because of an earlier event: no answer within 1 s'],
  [unusableNotifications(true), 'the notifications cannot be used: messages wait'],
  [unusableNotifications(false), 'the notifications cannot be used: the last document counts'],
])('%s', (message, words) => {
  expect(message).toBe(words);
});

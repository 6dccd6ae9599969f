import { expect, it } from 'vitest';
import {
  aggregationEnded,
  CLIENT_GONE,
  HAS_ENDED,
  INTERNAL_ERROR,
  NOT_NEEDED,
  NOT_STARTED,
  STACK_STOPS,
  tooLong,
  tooMuchMemory,
} from '#local/stack/messages.ts';

it('a thread of the stack says why it has ended', () => {
  expect([
    NOT_STARTED,
    HAS_ENDED,
    tooMuchMemory(512),
    tooLong(30),
    CLIENT_GONE,
    NOT_NEEDED,
    STACK_STOPS,
  ]).toEqual([
    'its thread did not start',
    'its thread has ended',
    'it took more than 512 MB of memory',
    'it took longer than 30 seconds',
    'its client has gone',
    'nobody needs it',
    'the stack stops',
  ]);
  expect([aggregationEnded(HAS_ENDED), INTERNAL_ERROR]).toEqual([
    'aggregation was ended: its thread has ended; its messages are retried, one after the other',
    'internal error: see the log of starfold',
  ]);
});

import { expect, it } from 'vitest';
import {
  agesNotKnown,
  letterReport,
  moreLetters,
  noDeadLetters,
  queueReport,
  slowQueue,
} from '#local/cli/doctor/queue-messages.ts';

const LETTER = {
  ...{ queue: 'events', messageId: 'm1', kind: 'failed', about: 'a heartbeat' },
  reasons: ['one', 'two'],
};

it('doctor says what waits, and what is in the dead-letter queues', () => {
  expect([
    queueReport('hints', { waiting: 2, inFlight: 1 }, '42 s'),
    queueReport('hints', { waiting: 0, inFlight: 0 }),
    slowQueue('hints', 'write-results'),
    agesNotKnown('AWS throttles'),
    noDeadLetters('hints'),
    letterReport(LETTER, '3 h'),
    letterReport({ ...LETTER, sender: 'AROAX' }, '3 h'),
    moreLetters('hints', 1),
    moreLetters('hints', 2),
  ]).toEqual([
    'hints: 2 waiting, 1 being handled, the oldest 42 s old',
    'hints: 0 waiting, 0 being handled, the age of the oldest is not known',
    'write-results does not keep up or fails: see its log, its throttles and errors (docs/operations.md, alarm hints-age)',
    'the age of the messages is not known: AWS throttles',
    'hints: none',
    'events: failed: a heartbeat, 3 h old (m1): one; two',
    'events: failed: a heartbeat, sender AROAX, 3 h old (m1): one; two',
    {
      message:
        'hints: about 1 message more, which another process is reading, or which is behind these in the queue',
      remedy: 'starfold redrive --dry-run shows more',
    },
    {
      message:
        'hints: about 2 messages more, which another process is reading, or which are behind these in the queue',
      remedy: 'starfold redrive --dry-run shows more',
    },
  ]);
});

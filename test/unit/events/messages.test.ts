import { expect, it } from 'vitest';
import {
  EVENT_RULES,
  faultyEvent,
  futureEpoch,
  largeJob,
  longEvent,
  notABatch,
  OTHER_JSON,
  unknownType,
} from '#shared/events/messages.ts';

const ID = 'must be a string of 1 to 256 characters, none of them half of a surrogate pair';

it.each([
  [
    faultyEvent({ index: 0, id: undefined, field: 'id' }, EVENT_RULES.id),
    `event number 0 of the batch: id: ${ID}`,
  ],
  [
    faultyEvent({ index: 1, id: '3.12', field: '' }, longEvent(65_536)),
    'event 3.12: the event: has more than 65536 characters',
  ],
  [
    faultyEvent({ index: 1, id: '', field: 'data.object' }, largeJob(65_536)),
    'event number 1 of the batch: data.object: a Job must be at most 65536 bytes of JSON, so its labels or the messages of its conditions must be shorter: must have the form that its type requires',
  ],
  [unknownType(['a', 'b']), 'must be one of a, b: a newer forwarder needs a newer receiver'],
  [
    futureEpoch(7, 60 * 60_000),
    "must be at most 7: an epoch begins with the second in which its forwarder began to report (times 2^20), and may be 60 minutes ahead of the receiver's clock, so set the clock of the forwarder's cluster, then delete the forwarder's Lease",
  ],
  [
    notABatch(OTHER_JSON),
    'the body is not a batch of events (it is JSON of a different form): send a CloudEvents JSON array, or one that is compressed with gzip and then base64',
  ],
])('%s', (message, words) => {
  expect(message).toBe(words);
});

import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createHttpEventQueue } from '#shared/adapters/http/event-queue.ts';
import { MAX_MESSAGE_BYTES, type MessageSender } from '#shared/ports/message-queue.ts';
import { anyCharacter } from '#test/any-character.ts';
import { histories } from '#test/histories.ts';
import { type ServedIntake, serveIntake } from '#test/unit/local/intake/served.ts';

let intake: ServedIntake;
let queue: MessageSender;
/** What each request brought. */
let requests: (readonly string[])[];

beforeAll(async () => {
  intake = await serveIntake({
    take: async (_source, bodies) => {
      requests.push(bodies);
    },
  });
  queue = createHttpEventQueue({ url: intake.url, tokenFile: intake.tokenFile('wec/a') });
});
afterAll(() => intake[Symbol.asyncDispose]());
beforeEach(() => {
  requests = [];
});

/** Any text, sometimes a large one, of characters that take one to six bytes in JSON. */
const body = fc.oneof(
  { weight: 9, arbitrary: fc.string({ unit: anyCharacter, minLength: 1, maxLength: 200 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('x', '"', '\u0000', 'é'),
        fc.integer({ min: 1, max: MAX_MESSAGE_BYTES / 2 }),
      )
      .map(([character, count]) => character.repeat(count)),
  },
);

test('what is sent by HTTP arrives as it was, in order, ten messages at most in a request', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(body, { maxLength: 35 }), async (bodies) => {
      requests = [];
      await queue.send(bodies.map((text) => ({ body: text })));
      expect(requests.flat()).toEqual(bodies);
      for (const { length } of requests) expect(length >= 1 && length <= 10).toBe(true);
    }),
    { numRuns: histories({ first: 20, all: 60 }) },
  );
});

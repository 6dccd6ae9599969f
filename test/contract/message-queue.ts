import { afterAll, describe, expect, it } from 'vitest';
import { contentHash } from '#shared/content-hash.ts';
import { MessageTooLargeError } from '#shared/errors.ts';
import { MAX_MESSAGE_BYTES, type OutgoingMessage } from '#shared/ports/message-queue.ts';
import { describeFifo } from './message-queue-fifo.ts';
import {
  bodies,
  createQueueHarness,
  fifo,
  handles,
  LONG_TIMEOUT_SECONDS,
  MAX_RECEIVE_COUNT,
  type MakeMessageQueue,
  type QueueTimes,
} from './queue-harness.ts';

/**
 * The promises of the message-queue port, as tests in real time: a queue each, side by side. A test of what does not
 * happen asks once without waiting.
 */
export function describeMessageQueue(
  name: string,
  make: MakeMessageQueue,
  times: QueueTimes = {},
): void {
  const harness = createQueueHarness(make, times);
  const { makeQueue, take, takeNothing, shortTimeoutSeconds, patienceSeconds } = harness;

  describe.concurrent(`${name} as a message queue`, () => {
    afterAll(async () => {
      await harness.close();
    });

    describe.each(['standard', 'fifo'] as const)('%s', (kind) => {
      const message = (body: string): OutgoingMessage =>
        kind === 'fifo' ? fifo(contentHash(body), body) : { body };

      it('delivers what was sent, with what it knows of it', async () => {
        const { queue } = await makeQueue(kind);
        const before = Date.now();
        await queue.send([message('{"text":"schön \u{1f680}"}')]);
        const [received] = await take(queue, 1);
        expect(received).toMatchObject({
          ...message('{"text":"schön \u{1f680}"}'),
          receiveCount: 1,
          messageId: expect.stringMatching(/./),
          receiptHandle: expect.stringMatching(/./),
          senderId: expect.stringMatching(/./),
        });
        // Both clocks may differ a little.
        expect(Math.abs((received?.sentAt ?? 0) - before)).toBeLessThan(60_000);
      });

      it('delivers each of many messages sent at once', async () => {
        const { queue } = await makeQueue(kind);
        const sent = Array.from({ length: 37 }, (_, index) => `message ${index}`);
        await queue.send(sent.map(message));
        const received = await take(queue, sent.length);
        expect(bodies(received).toSorted()).toEqual(sent.toSorted());
        expect(new Set(received.map(({ messageId }) => messageId)).size).toBe(sent.length);
        expect(new Set(handles(received)).size).toBe(sent.length);
      });

      it('returns no more messages than were asked for', async () => {
        const { queue } = await makeQueue(kind);
        await queue.send(['a', 'b', 'c', 'd'].map(message));
        const received = await queue.receive({ max: 3, waitSeconds: patienceSeconds });
        expect(received.length).toBeGreaterThanOrEqual(1);
        expect(received.length).toBeLessThanOrEqual(3);
      });

      it('does nothing when there is nothing to do', async () => {
        const { queue } = await makeQueue(kind);
        await queue.send([]);
        await queue.delete([]);
        await queue.changeVisibility([], 0);
        expect(await takeNothing(queue)).toEqual([]);
      });

      it('wakes a receiver that waits when a message is sent', async () => {
        const { queue } = await makeQueue(kind);
        const waiting = queue.receive({ max: 10, waitSeconds: patienceSeconds });
        await queue.send([message('late')]);
        expect(bodies(await waiting)).toEqual(['late']);
      });

      it('ends a wait early and empty when it is aborted', async () => {
        const { queue } = await makeQueue(kind);
        const abort = new AbortController();
        const waiting = queue.receive({ max: 10, waitSeconds: 20 }, abort.signal);
        setTimeout(() => abort.abort(), 50);
        expect(await waiting).toEqual([]);
        expect(await queue.receive({ max: 10, waitSeconds: 20 }, abort.signal)).toEqual([]);
      });

      it('hides a received message, and never delivers a deleted one again', async () => {
        const { queue } = await makeQueue(kind);
        await queue.send([message('once')]);
        const received = handles(await take(queue, 1));
        expect(await takeNothing(queue)).toEqual([]);
        await queue.delete(received);
        await queue.changeVisibility(received, 0);
        expect(await takeNothing(queue)).toEqual([]);
      });

      it('delivers a message again after its visibility timeout, and says so', async () => {
        const { queue } = await makeQueue(kind, 'short');
        await queue.send([message('again')]);
        const [first] = await take(queue, 1);
        const [second] = await take(queue, 1);
        expect(second).toMatchObject({ body: 'again', receiveCount: 2 });
        expect(second?.messageId).toBe(first?.messageId);
        expect(second?.receiptHandle).not.toBe(first?.receiptHandle);
        expect(second?.sentAt).toBe(first?.sentAt);
      });

      it('ignores an outdated receipt handle', async () => {
        const { queue } = await makeQueue(kind);
        await queue.send([message('again')]);
        const outdated = handles(await take(queue, 1));
        await queue.changeVisibility(outdated, 0);
        const current = await take(queue, 1);
        await queue.delete(outdated);
        await queue.changeVisibility(outdated, 0);
        expect(current.map(({ receiveCount }) => receiveCount)).toEqual([2]);
        expect(await takeNothing(queue)).toEqual([]);
        await queue.changeVisibility(handles(current), 0);
        const [third] = await take(queue, 1);
        expect(third).toMatchObject({ body: 'again', receiveCount: 3 });
      });

      it('delivers a message again at once when its visibility is set to 0', async () => {
        const { queue } = await makeQueue(kind);
        await queue.send([message('again')]);
        await queue.changeVisibility(handles(await take(queue, 1)), 0);
        const [second] = await take(queue, 1);
        expect(second).toMatchObject({ body: 'again', receiveCount: 2 });
      });

      it('keeps a message hidden for longer when its visibility is extended', async () => {
        const { queue } = await makeQueue(kind, 'short');
        await queue.send([message('later')]);
        await queue.changeVisibility(handles(await take(queue, 1)), LONG_TIMEOUT_SECONDS);
        expect(await queue.receive({ max: 1, waitSeconds: 2 * shortTimeoutSeconds })).toEqual([]);
      });

      it('moves a message to the dead-letter queue after maxReceiveCount receipts', async () => {
        const { queue, deadLetterQueue } = await makeQueue(kind);
        await queue.send([message('poison')]);
        for (let count = 1; count <= MAX_RECEIVE_COUNT; count += 1) {
          const received = await take(queue, 1);
          expect(received.map(({ receiveCount }) => receiveCount)).toEqual([count]);
          await queue.changeVisibility(handles(received), 0);
        }
        expect(await takeNothing(queue)).toEqual([]);
        const dead = await take(deadLetterQueue, 1);
        expect(dead).toEqual([expect.objectContaining(message('poison'))]);
        await deadLetterQueue.delete(handles(dead));
        expect(await takeNothing(deadLetterQueue)).toEqual([]);
      });

      it('takes a message of exactly the largest size', async () => {
        const { queue } = await makeQueue(kind);
        const body = 'x'.repeat(MAX_MESSAGE_BYTES);
        await queue.send([{ ...message('large'), body }]);
        const [received] = await take(queue, 1);
        expect(received?.body.length).toBe(body.length);
      });

      it('refuses a message that is too large, and sends none of the others', async () => {
        const { queue } = await makeQueue(kind);
        const large = { ...message('large'), body: 'ü'.repeat(MAX_MESSAGE_BYTES / 2 + 1) };
        const error = await queue.send([message('fits'), large]).catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(MessageTooLargeError);
        expect(error).toMatchObject({ group: large.group });
        expect(await takeNothing(queue)).toEqual([]);
      });
    });

    describe('standard', () => {
      it('delivers equal messages each', async () => {
        const { queue } = await makeQueue('standard');
        await queue.send([{ body: 'same' }, { body: 'same' }]);
        expect(bodies(await take(queue, 2))).toEqual(['same', 'same']);
      });

      it('keeps no message of a group back for another one of it, and says the group', async () => {
        const { queue } = await makeQueue('standard');
        await queue.send(['1', '2', '3'].map((body) => ({ body, group: 'wec/a' })));
        const [first] = await take(queue, 1);
        const rest = await take(queue, 2);
        expect([first, ...rest].map((message) => message?.group)).toEqual(Array(3).fill('wec/a'));
        expect(bodies(rest)).toHaveLength(2);
      });

      it('takes groups of up to 128 characters of ASCII, beside messages without a group', async () => {
        const { queue } = await makeQueue('standard');
        const longest = '!~'.repeat(64);
        await queue.send([{ body: 'a', group: longest }, { body: 'b' }]);
        const received = await take(queue, 2);
        expect(received.map(({ body, group }) => [body, group]).toSorted()).toEqual([
          ['a', longest],
          ['b', undefined],
        ]);
        const refused = queue.send([{ body: 'c', group: `${longest}!` }]);
        await expect(refused).rejects.toThrow(RangeError);
      });

      it('delivers a delayed message after its delay, and others before', async () => {
        const { queue } = await makeQueue('standard');
        await queue.send([{ body: 'delayed', delaySeconds: 1 }, { body: 'now' }]);
        expect(bodies(await take(queue, 1))).toEqual(['now']);
        const [delayed] = await take(queue, 1);
        expect(delayed).toMatchObject({ body: 'delayed', receiveCount: 1 });
      });
    });

    describeFifo(harness);
  });
}

import { describe, expect, it } from 'vitest';
import type { OutgoingMessage, ReceivedMessage } from '#shared/ports/message-queue.ts';
import { bodies, fifo, handles, MAX_RECEIVE_COUNT, type QueueHarness } from './queue-harness.ts';

function sentBodies(sent: readonly OutgoingMessage[], group: string): readonly string[] {
  return sent.filter((message) => message.group === group).map((message) => message.body);
}

/** What the port promises of FIFO queues alone. */
export function describeFifo({
  makeQueue,
  take,
  takeNothing,
  patienceSeconds,
}: QueueHarness): void {
  describe('fifo', () => {
    it('delivers the messages of a group in the order of sending', async () => {
      const { queue } = await makeQueue('fifo');
      const sent = Array.from({ length: 25 }, (_, index) => String(index));
      await queue.send(sent.slice(0, 20).map((body) => fifo('a', body)));
      await queue.send(sent.slice(20).map((body) => fifo('a', body)));
      const received: string[] = [];
      while (received.length < sent.length) {
        const messages = await queue.receive({ max: 10, waitSeconds: patienceSeconds });
        if (messages.length === 0) break;
        received.push(...bodies(messages));
        await queue.delete(handles(messages));
      }
      expect(received).toEqual(sent);
    });

    it('delivers nothing of a group while one of its messages is in flight', async () => {
      const { queue } = await makeQueue('fifo');
      await queue.send([fifo('a', '1'), fifo('a', '2')]);
      const [first] = await queue.receive({ max: 1, waitSeconds: patienceSeconds });
      await queue.send([fifo('a', '3')]);
      expect(first?.body).toBe('1');
      expect(await takeNothing(queue)).toEqual([]);
      await queue.delete(first ? [first.receiptHandle] : []);
      expect(bodies(await take(queue, 2))).toEqual(['2', '3']);
    });

    it('delivers other groups while one has messages in flight', async () => {
      const { queue } = await makeQueue('fifo');
      await queue.send([fifo('a', 'a1'), fifo('a', 'a2'), fifo('b', 'b1')]);
      await queue.receive({ max: 1, waitSeconds: patienceSeconds });
      expect(bodies(await queue.receive({ max: 10, waitSeconds: patienceSeconds }))).toEqual([
        'b1',
      ]);
    });

    it('wakes a receiver that waits when a group becomes free', async () => {
      const { queue } = await makeQueue('fifo');
      await queue.send([fifo('a', '1'), fifo('a', '2')]);
      const first = await queue.receive({ max: 1, waitSeconds: patienceSeconds });
      const waiting = queue.receive({ max: 1, waitSeconds: patienceSeconds });
      await queue.delete(handles(first));
      expect(bodies(await waiting)).toEqual(['2']);
    });

    it('delivers messages again in the old order, before later ones', async () => {
      const { queue } = await makeQueue('fifo', 'short');
      await queue.send([fifo('a', '1'), fifo('a', '2')]);
      expect(bodies(await take(queue, 2))).toEqual(['1', '2']);
      await queue.send([fifo('a', '3')]);
      const again = await take(queue, 3);
      expect(bodies(again)).toEqual(['1', '2', '3']);
      expect(again.map(({ receiveCount }) => receiveCount)).toEqual([2, 2, 1]);
    });

    it('keeps the rest of a group back while one message of a batch is unfinished', async () => {
      const { queue } = await makeQueue('fifo');
      await queue.send([fifo('a', '1'), fifo('a', '2'), fifo('a', '3')]);
      const batch = await take(queue, 2);
      const [first, second] = handles(batch);
      await queue.delete(second ? [second] : []);
      expect(await takeNothing(queue)).toEqual([]);
      await queue.changeVisibility(first ? [first] : [], 0);
      expect(bodies(await take(queue, 2))).toEqual(['1', '3']);
    });

    it('delivers the rest of a group when its first message is dead', async () => {
      const { queue, deadLetterQueue } = await makeQueue('fifo');
      await queue.send([fifo('a', 'poison'), fifo('a', 'fine')]);
      for (let count = 1; count <= MAX_RECEIVE_COUNT; count += 1)
        await queue.changeVisibility(
          handles(await queue.receive({ max: 1, waitSeconds: patienceSeconds })),
          0,
        );
      expect(bodies(await take(queue, 1))).toEqual(['fine']);
      expect(bodies(await take(deadLetterQueue, 1))).toEqual(['poison']);
    });

    it('delivers one of several messages of a group with one identifier', async () => {
      const { queue } = await makeQueue('fifo');
      await queue.send([fifo('a', 'first', 'same'), fifo('a', 'second', 'same')]);
      const received = await take(queue, 1);
      expect(bodies(received)).toEqual(['first']);
      await queue.delete(handles(received));
      await queue.send([fifo('a', 'third', 'same'), fifo('a', 'fourth', 'other')]);
      expect(bodies(await take(queue, 1))).toEqual(['fourth']);
    });

    it('delivers messages of different groups with one identifier each', async () => {
      const { queue } = await makeQueue('fifo');
      await queue.send([fifo('a', 'a1', 'same'), fifo('b', 'b1', 'same')]);
      expect(bodies(await take(queue, 2)).toSorted()).toEqual(['a1', 'b1']);
    });

    it('delivers equal messages without an identifier each', async () => {
      const { queue } = await makeQueue('fifo');
      await queue.send([
        { group: 'a', body: 'same' },
        { group: 'a', body: 'same' },
      ]);
      expect(bodies(await take(queue, 2))).toEqual(['same', 'same']);
    });

    it('gives no message to two receivers and keeps the order under several of them', async () => {
      const { queue } = await makeQueue('fifo');
      const groups = ['a', 'b', 'c', 'd', 'e'];
      const sent = groups.flatMap((group) =>
        Array.from({ length: 12 }, (_, index) => fifo(group, `${group}${index}`)),
      );
      await queue.send(sent);
      const received: ReceivedMessage[] = [];
      const work = async (): Promise<void> => {
        while (received.length < sent.length) {
          const messages = await queue.receive({ max: 3, waitSeconds: 1 });
          received.push(...messages);
          await queue.delete(handles(messages));
        }
      };
      await Promise.all([work(), work(), work()]);
      for (const group of groups)
        expect(bodies(received.filter((message) => message.group === group))).toEqual(
          sentBodies(sent, group),
        );
    });
  });
}

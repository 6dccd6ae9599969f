import type { SQSRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { inTurns } from '#functions/record-events/portions.ts';
import { sqsEvent } from '#local/stack/poller.ts';

/** A message of a sender, `<sender>[/<group>]`; its body says which one it is. */
function record(from: string, index: number): SQSRecord {
  const [senderId = '', group] = from.split('/');
  const [made] = sqsEvent('events', [
    {
      messageId: `${from} ${index}`,
      receiptHandle: '',
      body: `${from} ${index}`,
      senderId,
      receiveCount: 1,
      sentAt: 0,
      ...(group === undefined ? {} : { group }),
    },
  ]).Records;
  if (made === undefined) throw new Error('no record');
  return made;
}

/** The senders of the messages in the order in which they are taken. */
function order(from: readonly string[], cost: (sender: string) => number = () => 1): string[] {
  const turns = inTurns(from.map(record));
  const taken: string[] = [];
  for (let turn = turns.next(0); !turn.done; ) {
    const [sender = ''] = turn.value.body.split(' ');
    taken.push(sender);
    turn = turns.next(cost(sender));
  }
  return taken;
}

describe('messages in turns', () => {
  it('go round among their senders, and keep the order of each', () => {
    expect(order(['a', 'a', 'a', 'b', 'c', 'b'])).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
    const turns = inTurns(['a', 'a', 'a'].map(record));
    const bodies = [turns.next(0), turns.next(1), turns.next(1)].map(({ value }) => value?.body);
    expect(bodies).toEqual(['a 0', 'a 1', 'a 2']);
    expect(turns.next(1).done).toBe(true);
  });

  it('count what they cost: who is dear comes less often', () => {
    const cost = (sender: string): number => (sender === 'dear' ? 10 : 1);
    const from = [...Array(3).fill('dear'), ...Array(12).fill('cheap')];
    expect(order(from, cost).slice(0, 12)).toEqual(['dear', ...Array(10).fill('cheap'), 'dear']);
  });

  it('go round among the groups of a sender, who gets no more turns for having many', () => {
    const from = ['s/1', 's/1', 's/2', 't/9', 't/9'];
    expect(order(from)).toEqual(['s/1', 't/9', 's/2', 't/9', 's/1']);
  });

  it('are none if there are none', () => {
    expect(order([])).toEqual([]);
  });
});

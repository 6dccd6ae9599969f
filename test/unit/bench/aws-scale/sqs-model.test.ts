import { beforeEach, describe, expect, it } from 'vitest';
import { SqsModel, type SqsModelOptions } from '#test/bench/aws-scale/sqs-model.ts';

const VISIBILITY_MS = 60_000;

let now: number;

beforeEach(() => {
  now = 0;
});

function queue(options: Partial<SqsModelOptions> = {}): SqsModel {
  let ids = 0;
  return new SqsModel({
    fifo: true,
    visibilityMs: VISIBILITY_MS,
    maxReceiveCount: 2,
    clock: () => now,
    createMessageId: () => String(++ids),
    senderId: 'AROA:sender',
    ...options,
  });
}

/** The bodies of what is received at once. */
function bodies(model: SqsModel, max = 10): readonly string[] {
  return model.receive(max).map(({ body }) => body);
}

describe('a model of a FIFO queue', () => {
  it('locks a group while one of its messages is in flight, and no other group', () => {
    const model = queue();
    model.send([
      { body: 'a1', group: 'a' },
      { body: 'a2', group: 'a' },
      { body: 'b1', group: 'b' },
    ]);
    expect(bodies(model, 1)).toEqual(['a1']);
    expect(bodies(model)).toEqual(['b1']);
    expect(bodies(model)).toEqual([]);
  });

  it('delivers the rest of a group when what was in flight is deleted', () => {
    const model = queue();
    model.send([
      { body: 'a1', group: 'a' },
      { body: 'a2', group: 'a' },
    ]);
    const [first] = model.receive(1);
    model.delete([first?.receiptHandle ?? '']);
    expect(bodies(model)).toEqual(['a2']);
  });

  it('delivers as many of one group as it can before another group', () => {
    const model = queue();
    model.send([
      { body: 'a1', group: 'a' },
      { body: 'b1', group: 'b' },
      { body: 'a2', group: 'a' },
    ]);
    expect(bodies(model)).toEqual(['a1', 'a2', 'b1']);
  });

  it('delivers a message again, in its old place, when its visibility timeout is over', () => {
    const model = queue();
    model.send([
      { body: 'a1', group: 'a' },
      { body: 'a2', group: 'a' },
    ]);
    model.receive(1);
    now = VISIBILITY_MS;
    expect(bodies(model)).toEqual(['a1', 'a2']);
  });

  it('ignores the handle of an earlier receipt', () => {
    const model = queue();
    model.send([{ body: 'a1', group: 'a' }]);
    const [first] = model.receive(1);
    now = VISIBILITY_MS;
    model.receive(1);
    model.delete([first?.receiptHandle ?? '']);
    expect(model.size).toBe(1);
  });

  it('finds no group behind the messages of one that is locked, if they fill what it looks through', () => {
    const model = queue({ window: 3 });
    model.send(['a1', 'a2', 'a3'].map((body) => ({ body, group: 'a' })));
    model.send([{ body: 'b1', group: 'b' }]);
    const [first] = model.receive(1);
    expect(bodies(model)).toEqual([]);
    expect(model.blocked.window).toBe(1);
    model.delete([first?.receiptHandle ?? '']);
    expect(bodies(model)).toEqual(['a2', 'a3', 'b1']);
  });

  it('drops a message whose identifier its group had within five minutes', () => {
    const model = queue();
    const message = { body: 'x', group: 'a', deduplicationId: 'one' };
    model.send([message, { ...message, group: 'b' }]);
    model.send([message]);
    expect(model.size).toBe(2);
    now = 5 * 60_000;
    model.send([message]);
    expect(model.size).toBe(3);
  });
});

describe('a model of a queue', () => {
  it('delivers nothing while as many messages are in flight as it allows', () => {
    const model = queue({ fifo: false, inFlightLimit: 3 });
    model.send(['1', '2', '3', '4'].map((body) => ({ body })));
    const [first] = model.receive(10);
    expect(model.inFlight).toBe(3);
    expect(bodies(model)).toEqual([]);
    expect(model.blocked.inFlight).toBe(1);
    model.delete([first?.receiptHandle ?? '']);
    expect(bodies(model)).toEqual(['4']);
  });

  it('delivers a message after the time that a receiver sets', () => {
    const model = queue({ fifo: false });
    model.send([{ body: '1' }]);
    const [first] = model.receive(1);
    model.hide([first?.receiptHandle ?? ''], 1_000);
    now = 999;
    expect(bodies(model)).toEqual([]);
    now = 1_000;
    expect(bodies(model)).toEqual(['1']);
  });

  it('gives up a message that was received too often', () => {
    const model = queue({ fifo: false });
    model.send([{ body: '1' }]);
    for (now = 0; now < 3 * VISIBILITY_MS; now += VISIBILITY_MS) model.receive(1);
    expect(model.size).toBe(0);
    expect(model.deadLetters).toBe(1);
  });

  it('knows the most that waited and that was in flight', () => {
    const model = queue({ fifo: false });
    model.send(['1', '2', '3'].map((body) => ({ body })));
    model.delete(model.receive(2).map(({ receiptHandle }) => receiptHandle));
    expect(model.peak).toEqual({ backlog: 3, inFlight: 2 });
  });
});

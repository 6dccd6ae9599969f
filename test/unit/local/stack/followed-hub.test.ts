import { expect, it } from 'vitest';
import { nextEpoch } from '#local/stack/epoch.ts';
import { followHub, hubEpochSource } from '#local/stack/followed-hub.ts';
import type { ForwarderEvent } from '#shared/core/event.ts';
import { decodeBatch } from '#shared/events/codec.ts';
import { createWecInventories, readChangedInventories } from '#shared/state/wec-inventories.ts';
import { Pipeline } from '#test/unit/protocol/pipeline.ts';

/** A state, and the hubs that report to it. */
class Stack {
  readonly pipeline = new Pipeline();
  /** The bodies in the events queue. */
  queue: string[] = [];
  #sequence = 0;

  /** Starts with this hub, and returns its epoch. The process ends before it sends if `dies`. */
  async start(hub: string | undefined, dies?: 'before sending' | 'after sending'): Promise<number> {
    const { store } = this.pipeline;
    const send = async (messages: readonly { readonly body: string }[]): Promise<void> => {
      if (dies === 'before sending') throw new Error('killed');
      this.queue.push(...messages.map(({ body }) => body));
      if (dies === 'after sending') throw new Error('killed');
    };
    const clock = (): number => this.pipeline.now;
    await followHub({ store, events: { send }, clock }, hub);
    return hub === undefined ? 0 : nextEpoch(store, hubEpochSource(hub), this.pipeline.now);
  }

  /** Records what is in the queue. */
  async record(): Promise<void> {
    const bodies = this.queue;
    this.queue = [];
    for (const body of bodies) {
      const { events, errors } = decodeBatch(body);
      expect(errors).toEqual([]);
      await this.pipeline.record(...events);
    }
  }

  labels(hub: string, epoch: number, region: string): ForwarderEvent {
    this.#sequence += 1;
    return {
      source: { type: 'wec', name: 'wec1' },
      version: { epoch, sequence: this.#sequence },
      time: '2026-01-01T00:00:00Z',
      content: {
        type: 'inventory',
        hub,
        inventory: { labels: { region }, annotations: {} },
      },
    };
  }

  async region(): Promise<string | undefined> {
    await this.pipeline.sweep();
    const known = await createWecInventories(this.pipeline.store).read();
    return known.get('wec1')?.labels['region'];
  }
}

it.each([
  ['another name', 'zits'],
  ['no hub', undefined],
])(
  'forgets the labels of the former hub if the stack follows %s, also what comes late',
  async (_what, next) => {
    const stack = new Stack();
    const epoch = await stack.start('its');
    const late = stack.labels('its', epoch, 'bc');
    await stack.pipeline.record(stack.labels('its', epoch, 'bb'));
    expect(await stack.region()).toBe('bb');
    const after = await stack.start(next);
    await stack.record();
    expect((await readChangedInventories(stack.pipeline.store)).map(({ wec }) => wec)).toEqual([
      'wec1',
    ]);
    await stack.pipeline.record(late);
    expect(await stack.region()).toBeUndefined();
    if (next === undefined) return;
    await stack.pipeline.record(stack.labels(next, after, 'cc'));
    expect(await stack.region()).toBe('cc');
  },
);

it('forgets nothing if the stack follows the same hub again, and nothing of a hub that reports by HTTP', async () => {
  const stack = new Stack();
  const epoch = await stack.start('its');
  await stack.pipeline.record(stack.labels('its', epoch, 'bb'));
  await stack.start('its');
  expect(stack.queue).toEqual([]);
  await stack.start(undefined);
  await stack.record();
  await stack.pipeline.record(stack.labels('remote', epoch, 'rr'));
  await stack.start('its');
  await stack.start(undefined);
  await stack.record();
  expect(await stack.region()).toBe('rr');
});

it('keeps what the former hub reports from elsewhere after it was followed here', async () => {
  const stack = new Stack();
  const epoch = await stack.start('its');
  await stack.pipeline.record(stack.labels('its', epoch, 'bb'));
  stack.pipeline.now += 1_000;
  const program = epoch + 2 ** 20;
  await stack.pipeline.record(stack.labels('its', program, 'rr'));
  await stack.start(undefined);
  await stack.record();
  expect(await stack.region()).toBe('rr');
});

it.each(['before sending', 'after sending'] as const)(
  'forgets the former hub at the next start if the process ended %s',
  async (dies) => {
    const stack = new Stack();
    const epoch = await stack.start('its');
    await stack.pipeline.record(stack.labels('its', epoch, 'bb'));
    await expect(stack.start('zits', dies)).rejects.toThrow('killed');
    await stack.start('zits');
    await stack.record();
    expect(await stack.region()).toBeUndefined();
  },
);

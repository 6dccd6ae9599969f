import { beforeEach, describe, expect, it } from 'vitest';
import { createRecordEvents } from '#functions/record-events/lambda.ts';
import { localContext, sqsEvent } from '#infra/local/poller.ts';
import type { ForwarderEvent } from '#shared/core/event.ts';
import { parseJson } from '#shared/core/json.ts';
import { StoreUnavailableError } from '#shared/errors.ts';
import { encodeBody, encodeEvent } from '#shared/events/codec.ts';
import { parseDirty } from '#shared/messages/dirty.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { rowKey } from '#shared/state/keys.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';
import { createObservedOutput } from '#test/unit/sqs/observed-output.ts';

const SUBJECT = { group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' };

function encoded(wec: string): string {
  const event: ForwarderEvent = {
    source: { type: 'wec', name: wec },
    version: { epoch: 1, sequence: 1 },
    time: '2026-01-01T00:00:00Z',
    content: {
      type: 'wec-object',
      wds: 'wds1',
      subject: SUBJECT,
      first: false,
      returned: { uid: 'u', generation: 1, status: { phase: 'Good' } },
    },
  };
  return encodeEvent(event);
}

describe('record-events', () => {
  let store: ItemStore;
  let dirty: SentMessages;
  let deadLetters: SentMessages;
  let output: ReturnType<typeof createObservedOutput>;
  beforeEach(() => {
    store = createMemoryItemStore();
    dirty = new SentMessages();
    deadLetters = new SentMessages();
    output = createObservedOutput();
  });

  /** Runs the function on these bodies; the identifiers (m0, m1 ...) of the messages it could not handle. */
  async function run(
    bodies: readonly string[],
    over: ItemStore = store,
  ): Promise<readonly string[]> {
    const handler = createRecordEvents(
      {
        store: over,
        specs: createSpecStore(over),
        dirty,
        hints: new SentMessages(),
        deadLetters,
        clock: () => 0,
      },
      output.observability,
    );
    const messages = bodies.map((body, index) => ({
      messageId: `m${index}`,
      receiptHandle: `r${index}`,
      body,
      senderId: 's',
      receiveCount: 1,
      sentAt: 0,
    }));
    const answer = await handler(sqsEvent('events', messages), localContext('record-events', 'r'));
    return answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  }

  async function recorded(): Promise<readonly string[]> {
    const { pk } = rowKey({ wds: 'wds1', ...SUBJECT }, '');
    const { items } = await store.query({ pk });
    return items.map(({ sk }) => sk.slice(sk.lastIndexOf('#') + 1)).sort();
  }

  it('records what a batch says and tells each subject once', async () => {
    expect(await run([encodeBody([encoded('wec1')]), encodeBody([encoded('wec2')])])).toEqual([]);
    expect(await recorded()).toEqual(['wec1', 'wec2']);
    expect(dirty.bodies.map(parseDirty)).toMatchObject([{ wecs: ['wec1', 'wec2'] }]);
    expect(deadLetters.bodies).toEqual([]);
  });

  it('sends an event that cannot be read to the dead-letter queue with the reason, and records the rest', async () => {
    const bad = '{"specversion":"1.0","id":"x"}';
    expect(await run([encodeBody([encoded('wec1'), bad, encoded('wec2')])])).toEqual([]);
    expect(await recorded()).toEqual(['wec1', 'wec2']);
    expect(deadLetters.bodies.map(parseJson)).toMatchObject([
      [{ reason: expect.stringMatching(/^event x: source: /), event: { id: 'x' } }],
    ]);
    const [log, metrics] = output.lines();
    expect(log).toMatchObject({ message: 'event refused', messageId: 'm0' });
    expect(metrics).toMatchObject({ RefusedEvents: 1 });
  });

  it('sends a body that is no batch there as it came', async () => {
    expect(await run(['[', encodeBody([encoded('wec1')])])).toEqual([]);
    expect(deadLetters.bodies.map(parseJson)).toMatchObject([[{ event: '[' }]]);
    expect(await recorded()).toEqual(['wec1']);
  });

  it('lets one message that fails hold up no other', async () => {
    const failing: ItemStore = {
      ...store,
      put: async (puts) => {
        if (puts.some(({ item }) => item.sk.endsWith('#wec2')))
          throw new StoreUnavailableError('put');
        return store.put(puts);
      },
    };
    const bodies = ['wec1', 'wec2', 'wec3'].map((wec) => encodeBody([encoded(wec)]));
    expect(await run(bodies, failing)).toEqual(['m1']);
    expect(await recorded()).toEqual(['wec1', 'wec3']);
    expect(output.lines()[0]).toMatchObject({ code: 'store-unavailable', messageIds: ['m1'] });
  });

  it('fails the batch when the dead-letter queue takes nothing: no bad event is lost', async () => {
    deadLetters.mode = 'lost';
    await expect(run(['['])).rejects.toThrow('message queue unavailable');
  });

  it('fails a message whose consequences cannot be told', async () => {
    dirty.mode = 'lost';
    expect(await run([encodeBody([encoded('wec1')])])).toEqual(['m0']);
    dirty.mode = 'accept';
    expect(await run([encodeBody([encoded('wec1')])])).toEqual([]);
    expect(dirty.bodies).toHaveLength(1);
  });
});

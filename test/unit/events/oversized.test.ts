import { expect, it } from 'vitest';
import { runBatcher } from '#functions/event-forwarder/batcher.ts';
import { SendBuffer } from '#functions/event-forwarder/send-buffer.ts';
import type { EventContent, EventSubject } from '#shared/core/event.ts';
import { decodeBatch, encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import { withoutContent } from '#shared/events/oversized.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';
import { VirtualTime } from '#test/fakes/virtual-time.ts';

const subject: EventSubject = {
  group: 'apps',
  resource: 'deployments',
  namespace: 'default',
  name: 'web',
};
const returned = { uid: 'u', generation: 7, lastUpdate: '2026-08-01T00:00:00Z', deleting: true };

function encoded(content: EventContent): string {
  const version = { epoch: 1, sequence: 2 };
  const type = content.type === 'wds-object' ? 'wds' : 'wec';
  return encodeEvent({
    source: { type, name: 'c1' },
    version,
    time: '2026-08-01T00:00:00Z',
    content,
  });
}

const OBJECT = { type: 'wec-object', wds: 'wds1', subject, first: true } as const;

it.each([{ spec: { a: 1 } }, { status: { b: 2 } }, { spec: { a: 1 }, status: null }])(
  "leaves out spec and status of a WEC's object (%j), and says how large it was",
  (content) => {
    const text = withoutContent(
      encoded({ ...OBJECT, returned: { ...returned, ...content } }),
      1234,
    );
    const { events, errors } = decodeBatch(encodeBatch([text ?? '']));
    expect(errors).toEqual([]);
    expect(events).toEqual([
      {
        source: { type: 'wec', name: 'c1' },
        version: { epoch: 1, sequence: 2 },
        time: '2026-08-01T00:00:00Z',
        content: { ...OBJECT, returned: { ...returned, oversizedBytes: 1234 } },
      },
    ]);
  },
);

it.each([
  [
    'an object of a WDS',
    encoded({ type: 'wds-object', subject, first: true, object: { spec: {} } }),
  ],
  ['an object of a WEC that is gone', encoded(OBJECT)],
  ['an object without spec and status', encoded({ ...OBJECT, returned })],
  ['the end of a snapshot', encoded({ type: 'snapshot', since: { epoch: 1, sequence: 0 } })],
  ['a heartbeat', encoded({ type: 'heartbeat' })],
])('has nothing to leave out of %s', (_case, text) => {
  expect(withoutContent(text, 1234)).toBeUndefined();
});

it('is tried once: an event that is too large also without them is given up, and the next ones are sent', async () => {
  const time = new VirtualTime();
  const queue = new SentMessages();
  queue.limit = 400;
  const sendBuffer = new SendBuffer({ epoch: 1, clock: time.clock });
  const refused: string[] = [];
  const sent = runBatcher(
    {
      queue,
      group: 'wec/a',
      sleep: time.sleep,
      random: () => 0.5,
      clock: time.clock,
      windowMs: 0,
      isLeading: () => true,
      onTooLarge: ({ key }) => refused.push(key),
      onFailure: () => undefined,
      onSent: () => undefined,
    },
    sendBuffer,
    new AbortController().signal,
  );
  const source = { type: 'wec', name: 'c1' } as const;
  const uid = 'u'.repeat(500);
  sendBuffer.putObject(
    source,
    { key: 'web', isNew: true },
    { ...OBJECT, returned: { ...returned, uid, status: 1 } },
  );
  sendBuffer.putHeartbeat(source);
  sendBuffer.close();
  await time.advance(60_000);
  await sent;
  expect(new Set(refused)).toEqual(new Set(['web']));
  expect(queue.events().map(({ content }) => content.type)).toEqual(['heartbeat']);
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEventBus } from '#shared/adapters/eventbridge/event-bus.ts';
import { failedEntry, largeEvent, refusedRequest } from '#shared/adapters/eventbridge/messages.ts';
import { stringifyJson } from '#shared/core/json.ts';
import { ReceiverRefusedError, ReceiverUnavailableError } from '#shared/errors.ts';
import { type HttpApiServer, json, startHttpApiServer } from '#test/fakes/http-api-server.ts';

const BUS = 'arn:aws:events:eu-central-1:111122223333:event-bus/starfold';
const EVENT = {
  id: 'id-1',
  specversion: '1.0',
  type: 'dev.starfold.verdict.changed.v1',
  source: '/wds/wds1',
  subject: 'apps/deployments/shop/web',
  time: '2026-11-25T13:00:00Z',
  data: { status: 'Degraded', message: 'Größe' },
};

let server: HttpApiServer;
const bodies: string[] = [];

beforeAll(async () => {
  server = await startHttpApiServer();
});

afterAll(() => server.close());

function bus(maxAttempts = 1) {
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const client = { endpoint: server.url, region: 'eu-central-1', credentials, maxAttempts };
  return createEventBus({ name: 'event-bus', bus: BUS, client });
}

/** The server gives this answer. */
function answering(status: number, answer: object): void {
  bodies.length = 0;
  server.answer = ({ body }, response) => {
    bodies.push(body);
    json(response, answer, status);
  };
}

describe('an event bus', () => {
  it('gets one entry for an event: the whole CloudEvent is its detail', async () => {
    answering(200, { FailedEntryCount: 0, Entries: [{ EventId: 'e' }] });
    await bus().deliver(EVENT);
    expect(bodies).toHaveLength(1);
    const { Entries } = JSON.parse(bodies[0] ?? '') as { Entries: Record<string, unknown>[] };
    expect(Entries).toEqual([
      {
        EventBusName: BUS,
        Source: 'dev.starfold',
        DetailType: EVENT.type,
        Time: Date.parse(EVENT.time) / 1000,
        Detail: stringifyJson(EVENT),
      },
    ]);
  });

  it('gets the same entry again if an event is repeated, so that detail.id identifies it', async () => {
    answering(200, { FailedEntryCount: 0, Entries: [{ EventId: 'e' }] });
    await bus().deliver(EVENT);
    await bus().deliver(EVENT);
    expect(new Set(bodies).size).toBe(1);
  });

  it.each([
    ['ThrottlingException', ReceiverUnavailableError],
    ['InternalFailure', ReceiverUnavailableError],
    ['MalformedDetail', ReceiverRefusedError],
    ['NotAuthorizedForSourceException', ReceiverRefusedError],
  ])(
    'has not accepted an event whose entry fails with %s, although the request succeeds',
    async (ErrorCode, expected) => {
      answering(200, { FailedEntryCount: 1, Entries: [{ ErrorCode, ErrorMessage: 'why' }] });
      const delivery = bus().deliver(EVENT);
      await expect(delivery).rejects.toThrow(expected);
      await expect(delivery).rejects.toThrow(failedEntry(ErrorCode, 'why'));
    },
  );

  it('has not accepted an event if the answer has no entry', async () => {
    answering(200, {});
    await expect(bus().deliver(EVENT)).rejects.toThrow(ReceiverUnavailableError);
  });

  it.each(['AccessDeniedException', 'ResourceNotFoundException'])(
    'refuses events with %s, and the error names the bus and the permission',
    async (code) => {
      answering(400, { __type: code, message: 'no' });
      const delivery = bus().deliver(EVENT);
      await expect(delivery).rejects.toThrow(ReceiverRefusedError);
      await expect(delivery).rejects.toThrow(refusedRequest('no', BUS, ['events:PutEvents']));
    },
  );

  it.each([
    [500, 'InternalException'],
    [400, 'ThrottlingException'],
    [400, 'ExpiredTokenException'],
  ])('is unavailable with %d %s', async (status, code) => {
    answering(status, { __type: code, message: 'later' });
    await expect(bus().deliver(EVENT)).rejects.toThrow(ReceiverUnavailableError);
  });

  it('is unavailable if nobody answers', async () => {
    const client = { endpoint: 'http://127.0.0.1:1', region: 'r', maxAttempts: 1 };
    const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
    const none = createEventBus({ name: 'b', bus: BUS, client: { ...client, credentials } });
    await expect(none.deliver(EVENT)).rejects.toThrow(ReceiverUnavailableError);
  });

  it('refuses an event that is larger than 256 KiB in UTF-8, without a request', async () => {
    answering(200, { Entries: [{ EventId: 'e' }] });
    const sized = (length: number) => ({ ...EVENT, data: { message: 'ö'.repeat(length) } });
    const overhead =
      14 +
      Buffer.byteLength('dev.starfold') +
      Buffer.byteLength(EVENT.type) +
      Buffer.byteLength(JSON.stringify(sized(0)));
    const most = Math.floor((256 * 1024 - overhead) / 2);
    await bus().deliver(sized(most));
    expect(bodies).toHaveLength(1);
    const delivery = bus().deliver(sized(most + 1));
    await expect(delivery).rejects.toThrow(ReceiverRefusedError);
    await expect(delivery).rejects.toThrow(largeEvent(overhead + 2 * (most + 1), 256 * 1024));
    expect(bodies).toHaveLength(1);
  });
});

import type { ScheduledEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { createSweepStale } from '#functions/sweep-stale/lambda.ts';
import { localContext } from '#infra/local/poller.ts';
import { SILENCE_LIMIT_MS } from '#shared/core/silence.ts';
import { heartbeatItem } from '#shared/state/heartbeats.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';
import { createObservedOutput } from '#test/unit/sqs/observed-output.ts';

const EVENT: ScheduledEvent = {
  version: '0',
  id: 'event-1',
  'detail-type': 'Scheduled Event',
  source: 'aws.events',
  account: '000000000000',
  time: '2026-01-01T00:00:00Z',
  region: 'eu-central-1',
  resources: ['arn:aws:events:eu-central-1:000000000000:rule/sweep-stale'],
  detail: {},
};

it('the function logs which WECs have fallen silent or speak again, not all of many', async () => {
  const store = createMemoryItemStore();
  const output = createObservedOutput();
  const names = Array.from({ length: 25 }, (_name, index) => `wec-${String(index + 10)}`);
  let now = 0;
  const beat = (sequence: number) =>
    store.put(
      names.map((name) => ({
        item: heartbeatItem({ type: 'wec', name }, { epoch: 1, sequence }, now),
      })),
    );
  const sweep = createSweepStale(
    { store, dirty: new SentMessages(), clock: () => now },
    output.observability,
  );
  const run = (): Promise<void> => sweep(EVENT, localContext('sweep-stale', EVENT.id));
  await beat(1);
  await run();
  expect(output.lines()).toEqual([]);
  now = SILENCE_LIMIT_MS + 1;
  await run();
  await beat(2);
  await run();
  await run();
  expect(output.lines()).toEqual([
    expect.objectContaining({
      level: 'WARN',
      message: 'WECs have fallen silent',
      wecs: names.slice(0, 20),
      count: 25,
    }),
    expect.objectContaining({ level: 'INFO', message: 'WECs speak again', count: 25 }),
  ]);
});

import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { createSendNotifications } from '#functions/send-notifications/lambda.ts';
import { localContext, sqsEvent } from '#local/stack/poller.ts';
import { EVENT_TYPES } from '#shared/core/notification/change-event.ts';
import { compileRules } from '#shared/core/notification/rules.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import { encodeNotification } from '#shared/messages/notification.ts';
import type { EventReceiver } from '#shared/ports/event-receiver.ts';
import { createTelemetry } from '#shared/runtime/telemetry.ts';
import { putHead, readHead } from '#shared/state/head.ts';
import { createMemoryMessageQueue } from '#test/fakes/memory-message-queue.ts';
import { BilledQueue } from './billed-queue.ts';
import { Cloud } from './cloud.ts';
import { WDS } from './objects.ts';
import type { Outcome } from './scenarios.ts';

const FILE = new URL('../../../infra/notifications.yml', import.meta.url);
const CHANGES = 100;
/** How long a receiver takes to answer, in milliseconds. */
export const ANSWER_MS = 100;
const STATUSES = ['Progressing', 'Healthy'] as const;
const VISIBILITY_SECONDS = 60;

function deployedMemoryMb(): number {
  const document = parseDocument(readFileSync(FILE, 'utf8'), { logLevel: 'silent' });
  return Number(document.getIn(['functions', 'send-notifications', 'memorySize']));
}

function receiversOf(count: number, deliver: EventReceiver['deliver']) {
  return new Map(Array.from({ length: count }, (_one, index) => [`receiver${index}`, { deliver }]));
}

/**
 * Changes of the verdict on an object, of which a rule notifies so many receivers. Each comes alone: from the message of the
 * aggregation to the last answer, with one receive that comes back empty. What the aggregation itself costs is not in it.
 */
export async function notifications(receivers: number): Promise<Outcome> {
  const cloud = new Cloud();
  const lambda = cloud.lambda('send-notifications', deployedMemoryMb());
  const inner = createMemoryMessageQueue({
    ...{ fifo: true, visibilityTimeoutSeconds: VISIBILITY_SECONDS, maxReceiveCount: 100 },
    ...{ clock: cloud.clock.now, createMessageId: () => cloud.newId('message'), senderId: 'AROA' },
  });
  const queue = new BilledQueue({ name: 'notifications', fifo: true, inner }, cloud);
  let answered = 0;
  const all = receiversOf(receivers, async () => {
    await cloud.clock.sleep(ANSWER_MS);
    answered += 1;
  });
  const rule = { name: 'all', events: [EVENT_TYPES.verdict], send: [...all.keys()] };
  const handler = createSendNotifications(
    {
      store: cloud.storeOf(lambda),
      notifications: queue.sender(lambda.name, (bytes) => lambda.compute(bytes)),
      deadLetters: cloud.deadLetters,
      rules: compileRules([rule]).rules,
      receivers: all,
      telemetry: createTelemetry(lambda.observability),
      clock: cloud.clock.now,
    },
    lambda.observability,
  );
  const workload = {
    ...{ wds: WDS, group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' },
  };
  const pk = subjectPartition({ type: 'workload', workload });
  const handleAll = async (): Promise<void> => {
    for (;;) {
      const messages = await queue.receive(4, 0);
      if (messages.length === 0) return;
      const event = sqsEvent('notifications', messages);
      const context = localContext(lambda.name, cloud.newId('request'));
      const { batchItemFailures } = await lambda.invoke(() => handler(event, context));
      if (batchItemFailures.length > 0) throw new Error('a notification could not be handled');
      await queue.delete(messages);
    }
  };
  const play = async (): Promise<void> => {
    for (let change = 0; change < CHANGES; change += 1) {
      const status = STATUSES[change % 2] ?? '';
      const head = await readHead(cloud.store, pk);
      const revision = head.revision + 1;
      await putHead(cloud.store, pk, { ...head, revision, verdict: { status } });
      const before = STATUSES[(change + 1) % 2] ?? '';
      const topic = { type: 'verdict', workload } as const;
      const message = encodeNotification({ type: 'change', topic, before }, `revision ${revision}`);
      await queue.sender('aggregate-workload').send([message]);
      await handleAll();
      await cloud.clock.sleep(1_000);
    }
  };
  try {
    await cloud.clock.drive(play());
    if (answered !== CHANGES * receivers) throw new Error(`${answered} notifications were sent`);
    const bill = cloud.meter.bill();
    return { bill, changes: CHANGES, seconds: 0, metrics: cloud.metrics.size, storedBytes: 0 };
  } finally {
    cloud.close();
  }
}

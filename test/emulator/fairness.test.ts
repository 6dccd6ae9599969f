import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbClient } from '#shared/adapters/dynamodb/client.ts';
import { createDynamoDbItemStore } from '#shared/adapters/dynamodb/item-store.ts';
import { createSqsClient } from '#shared/adapters/sqs/client.ts';
import { createSqsMessageQueue } from '#shared/adapters/sqs/message-queue.ts';
import { at } from '#shared/core/json.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import { encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import { sourceGroup } from '#shared/messages/group-name.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';
import { parseVersionText, RANGE, range, rowKey } from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';
import { objectCounts } from '#shared/state/quota.ts';
import { NAMESPACE, workloadName } from '#test/bench/embedded-world.ts';
import { type Flood, floodOf, replicasIn } from '#test/bench/noisy-source.ts';
import { Forwarders } from './forwarders.ts';
import { describeNoisy, EVENTS, MESSAGES, NOISY, OBJECTS, WORKLOADS } from './noisy-wec.ts';
import { Times } from './times.ts';
import { eventually, STACK, World } from './world.ts';

const times = new Times();
let world: World;
let forwarders: Forwarders;
let store: ItemStore;

beforeAll(async () => {
  world = await World.start();
  await world.deploy();
  forwarders = await Forwarders.create(world);
  await forwarders.register();
  for (const cluster of [world.wds1, world.upstream]) await world.putParameter(cluster);
  await world.restoreSecret();
  await world.describe(world.wds1, { wantMultiWECReportedState: true });
  await describeNoisy(world.wds2);
  const client = createDynamoDbClient(world.emulator.config());
  store = createDynamoDbItemStore({ client, tableName: world.output('TableName') });
  return async () => {
    await forwarders?.stop();
    await world[Symbol.asyncDispose]();
    times.print(
      `the changes of one WEC, without and with a flood of another: ${world.emulator.image}`,
    );
  };
});

/** Registers a user who has no other source, and returns the queue as that user reaches it. */
async function noisyQueue(): Promise<MessageQueue> {
  const { areTold, recorded: everybody } = forwarders.senders;
  const named = areTold ? ['--role', forwarders.user('stranger').arn] : ['--principal', everybody];
  const { code, output } = await world.checkout.starfold('register', `wec/${NOISY.name}`, ...named);
  if (code !== 0) throw new Error(output);
  return forwarders.queueOf('stranger');
}

async function attributesOf(output: string): Promise<Readonly<Record<string, string>>> {
  const { Attributes = {} } = await createSqsClient(world.emulator.config()).send(
    new GetQueueAttributesCommand({ QueueUrl: world.output(output), AttributeNames: ['All'] }),
  );
  return Attributes;
}

/** A change of wec1, from its report to the WDS. */
async function change(what: string, replicas: number): Promise<void> {
  await times.measure(`${what}: ${replicas} replicas`, async () => {
    world.report('wec1', replicas);
    await eventually(() => world.readyIn(world.wds1), replicas);
  });
}

function workloadOf(index: number) {
  const name = workloadName(index);
  return { wds: 'wds2', group: 'apps', resource: 'deployments', namespace: NAMESPACE, name };
}

/** What wds2 shows of each of the noisy source's objects. */
function shown(): Promise<readonly unknown[]> {
  const { api } = world.wds2.cluster;
  return Promise.all(
    OBJECTS.map(async ({ ref }) => at(await api.get(ref), 'status', 'readyReplicas')),
  );
}

/** The sequence of the last event of each of the noisy source's objects that is recorded. */
async function recorded(): Promise<readonly (number | undefined)[]> {
  const keys = Array.from({ length: WORKLOADS }, (_none, i) => rowKey(workloadOf(i), NOISY.name));
  const rows = await store.get(keys);
  return rows.map((row) =>
    row?.version === undefined ? undefined : parseVersionText(row.version).sequence,
  );
}

/** The last event of each object in the flood: events go through the objects in turn, and begin with 1. */
function last(): readonly number[] {
  const first = EVENTS - WORKLOADS + 1;
  return Array.from(
    { length: WORKLOADS },
    (_none, index) => first + ((((index - first) % WORKLOADS) + WORKLOADS) % WORKLOADS),
  );
}

/**
 * Invocations at the same time may each take a place for the same new object: at most as many as `infra/functions.yml` allows.
 * The end of a complete listing counts again.
 */
async function recount(noisy: MessageQueue): Promise<void> {
  const counted = async (): Promise<number> =>
    (await objectCounts(store, [NOISY]))[0]?.objects ?? 0;
  expect(await counted()).toBeGreaterThanOrEqual(WORKLOADS);
  expect(await counted()).toBeLessThanOrEqual(3 * WORKLOADS);
  const event = encodeEvent({
    source: NOISY,
    version: { epoch: 1, sequence: EVENTS + 1 },
    time: new Date().toISOString(),
    content: { type: 'snapshot', since: { epoch: 1, sequence: 0 } },
  });
  await noisy.send([{ body: encodeBatch([event]), group: sourceGroup(NOISY) }]);
  await eventually(counted, WORKLOADS);
}

/** The keys of the entries of the noisy source's objects. */
async function entries(): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for await (const items of pages(store, range(sourcePartition(NOISY), RANGE.reported)))
    for (const { sk } of items) found.add(sk);
  return found;
}

describe('a flood of one source on the emulator', () => {
  it('meets queues that tell tenants apart: the groups of events order nothing, those of later queues do', async () => {
    expect(await attributesOf('EventsQueueUrl')).not.toMatchObject({ FifoQueue: 'true' });
    for (const output of ['DirtyQueueUrl', 'HintsQueueUrl'])
      expect(await attributesOf(output)).toMatchObject({
        FifoQueue: 'true',
        DeduplicationScope: 'messageGroup',
        FifoThroughputLimit: 'perMessageGroupId',
      });
    // Of the standard queues, no function reads this one now.
    const client = createSqsClient(world.emulator.config());
    const queueUrl = world.output('EventsDeadLetterQueueUrl');
    const queue = createSqsMessageQueue({ client, queueUrl, fifo: false });
    const groups = [sourceGroup(NOISY), sourceGroup({ type: 'wec', name: 'wec1' })];
    await queue.send(groups.map((group) => ({ body: group, group })));
    const received: string[] = [];
    await eventually(async () => {
      // The first message of a group is in flight, and does not hold back others.
      for (const message of await queue.receive({ max: 10, waitSeconds: 1 })) {
        expect(message.group).toBe(message.body);
        received.push(message.body);
        await queue.delete([message.receiptHandle]);
      }
      return [...received].sort();
    }, [...groups].sort());
  });

  it('lets the change of another source through, and nothing of either is lost', async () => {
    world.report('wec1', 1);
    world.report('wec2', 9);
    forwarders.start();
    await eventually(() => world.readyIn(world.wds1), 1);
    const noisy = await noisyQueue();
    for (const replicas of [2, 3, 4]) await change('without a flood', replicas);

    const flood: Flood = {
      noisy: NOISY.name,
      of: 'changes',
      workloads: WORKLOADS,
      messages: MESSAGES,
    };
    for (const bodies of floodOf(flood, 'wds2'))
      await noisy.send(bodies.map((body) => ({ body, group: sourceGroup(NOISY) })));
    for (const replicas of [5, 6, 7])
      await change(`with ${MESSAGES} messages of the flood`, replicas);

    await times.measure('until the flood was recorded', () => eventually(recorded, last()));
    await times.measure('until wds2 showed the flood', () =>
      eventually(
        shown,
        last().map((sequence) => replicasIn(flood, sequence)),
      ),
    );
    expect((await entries()).size).toBe(WORKLOADS);
    await recount(noisy);
    // The condition of the Bindings names the WECs that report. The sweep that finds them runs every minute.
    await world.account.invoke(`${STACK}-sweep-stale`, {});
    await eventually(() => world.differences(), []);
    for (const queue of ['EventsQueueUrl', 'DirtyQueueUrl', 'HintsQueueUrl'])
      await eventually(() => world.length(queue), 0);
    for (const queue of ['Events', 'Dirty', 'Hints'])
      expect(await world.length(`${queue}DeadLetterQueueUrl`)).toBe(0);
  });
});

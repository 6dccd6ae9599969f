import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  type Message,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  type ReceiveMessageRequest,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SendMessageRequest,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SqsServer, startSqsServer } from '#test/fakes/sqs-server/server.ts';

const time = { now: 1_700_000_000_000 };
let server: SqsServer;
let client: SQSClient;

beforeEach(async () => {
  server = await startSqsServer({ clock: () => time.now });
  client = new SQSClient({ ...server.config(), maxAttempts: 1 });
});
afterEach(async () => {
  client.destroy();
  await server.close();
});

async function create(name: string, Attributes: Record<string, string> = {}): Promise<string> {
  const fifo = name.endsWith('.fifo') ? { FifoQueue: 'true' } : {};
  const { QueueUrl = '' } = await client.send(
    new CreateQueueCommand({ QueueName: name, Attributes: { ...fifo, ...Attributes } }),
  );
  return QueueUrl;
}

async function attributesOf(QueueUrl: string): Promise<Readonly<Record<string, string>>> {
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
  );
  return Attributes;
}

function send(QueueUrl: string, message: Partial<SendMessageRequest> = {}) {
  return client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x', ...message }));
}

async function receive(
  QueueUrl: string,
  request: Partial<ReceiveMessageRequest> = {},
): Promise<readonly Message[]> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: 0,
      MessageSystemAttributeNames: ['All'],
      ...request,
    }),
  );
  return Messages;
}

const fifo = { MessageGroupId: 'g', MessageDeduplicationId: 'same' };

describe('queues', () => {
  it('are found by name, listed by prefix, described, and deleted', async () => {
    const url = await create('events');
    await create('other');
    expect(await client.send(new GetQueueUrlCommand({ QueueName: 'events' }))).toMatchObject({
      QueueUrl: url,
    });
    expect(await client.send(new ListQueuesCommand({ QueueNamePrefix: 'ev' }))).toMatchObject({
      QueueUrls: [url],
    });
    expect(await attributesOf(url)).toMatchObject({
      QueueArn: 'arn:aws:sqs:us-east-1:000000000000:events',
      VisibilityTimeout: '30',
      ApproximateNumberOfMessages: '0',
    });
    await client.send(new DeleteQueueCommand({ QueueUrl: url }));
    await expect(send(url)).rejects.toMatchObject({ name: 'QueueDoesNotExist' });
  });

  it('are created once, and not again with other attributes', async () => {
    const url = await create('events', { VisibilityTimeout: '5' });
    expect(await create('events', { VisibilityTimeout: '5' })).toBe(url);
    await expect(create('events', { VisibilityTimeout: '6' })).rejects.toMatchObject({
      name: 'QueueNameExists',
    });
  });

  it.each([
    ['a FIFO queue with a name of a standard one', 'events', { FifoQueue: 'true' }],
    ['an attribute that no queue has', 'events', { Visibility: '5' }],
    ['an attribute of FIFO queues for a standard one', 'events', { DeduplicationScope: 'queue' }],
    [
      'a dead-letter queue that is not there',
      'events',
      { RedrivePolicy: '{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:0:x","maxReceiveCount":3}' },
    ],
  ])('reject %s', async (_what, name, attributes) => {
    await expect(create(name, attributes)).rejects.toMatchObject({
      name: expect.stringMatching(/Invalid/),
    });
  });

  it('have dead-letter queues of their own kind, after one receipt at least', async () => {
    await create('dirty-dlq.fifo');
    await create('events-dlq');
    const policy = (target: string, maxReceiveCount: number) => ({
      RedrivePolicy: JSON.stringify({
        deadLetterTargetArn: `arn:aws:sqs:us-east-1:000000000000:${target}`,
        maxReceiveCount,
      }),
    });
    for (const attributes of [policy('dirty-dlq.fifo', 3), policy('events-dlq', 0)])
      await expect(create('events', attributes)).rejects.toMatchObject({
        name: 'InvalidParameterValue',
      });
  });

  it('count messages, and are emptied', async () => {
    const url = await create('events');
    await send(url);
    await send(url);
    await send(url, { DelaySeconds: 10 });
    await receive(url, { MaxNumberOfMessages: 1 });
    expect(await attributesOf(url)).toMatchObject({
      ApproximateNumberOfMessages: '1',
      ApproximateNumberOfMessagesNotVisible: '1',
      ApproximateNumberOfMessagesDelayed: '1',
    });
    await client.send(new PurgeQueueCommand({ QueueUrl: url }));
    time.now += 60_000;
    expect(await receive(url)).toEqual([]);
  });

  it('move messages by a redrive policy that they are given later', async () => {
    const url = await create('events');
    const deadLetterUrl = await create('events-dlq');
    const { QueueArn } = await attributesOf(deadLetterUrl);
    const policy = { deadLetterTargetArn: QueueArn, maxReceiveCount: '1' };
    await client.send(
      new SetQueueAttributesCommand({
        QueueUrl: url,
        Attributes: { RedrivePolicy: JSON.stringify(policy) },
      }),
    );
    await send(url);
    expect(await receive(url)).toHaveLength(1);
    time.now += 30_000;
    expect(await receive(url)).toEqual([]);
    expect(await receive(deadLetterUrl)).toHaveLength(1);
  });
});

describe('messages', () => {
  it('have their sender as access key id, and the time when they were sent', async () => {
    const url = await create('dirty.fifo', { DeduplicationScope: 'messageGroup' });
    const other = new SQSClient(server.config('AIDAEXAMPLE'));
    await other.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'x', ...fifo }));
    other.destroy();
    const [message] = await receive(url);
    expect(message?.Attributes).toEqual({
      SenderId: 'AIDAEXAMPLE',
      SentTimestamp: String(time.now),
      ApproximateReceiveCount: '1',
      ...fifo,
    });
  });

  it('have no attributes that were not asked for', async () => {
    const url = await create('events');
    await send(url);
    const [message] = await receive(url, { MessageSystemAttributeNames: ['SenderId'] });
    expect(message?.Attributes).toEqual({ SenderId: 'test' });
  });

  it('are hidden for as long as a receive says', async () => {
    const url = await create('events');
    await send(url);
    await receive(url, { VisibilityTimeout: 100 });
    time.now += 99_999;
    expect(await receive(url)).toEqual([]);
    time.now += 1;
    expect(await receive(url)).toHaveLength(1);
  });

  it.each([{ MaxNumberOfMessages: 11 }, { WaitTimeSeconds: 21 }])(
    'are not received with %o',
    async (request) => {
      const url = await create('events');
      await expect(receive(url, request)).rejects.toMatchObject({ name: 'InvalidParameterValue' });
    },
  );

  it('are not hidden for more than 12 hours', async () => {
    const url = await create('events');
    const change = { QueueUrl: url, ReceiptHandle: 'some/1', VisibilityTimeout: 43_201 };
    await expect(client.send(new ChangeMessageVisibilityCommand(change))).rejects.toMatchObject({
      name: 'InvalidParameterValue',
    });
  });

  it('are changed and deleted one by one', async () => {
    const url = await create('events');
    await send(url);
    const [first] = await receive(url);
    const ReceiptHandle = first?.ReceiptHandle;
    await client.send(
      new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle, VisibilityTimeout: 0 }),
    );
    const [second] = await receive(url);
    await client.send(
      new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: second?.ReceiptHandle }),
    );
    time.now += 60_000;
    expect(await receive(url)).toEqual([]);
  });

  it.each([
    ['in the group', 'messageGroup', 299_999, { MessageGroupId: 'g' }, 1],
    ['in the group after 5 minutes', 'messageGroup', 300_000, { MessageGroupId: 'g' }, 2],
    ['in another group', 'messageGroup', 0, { MessageGroupId: 'h' }, 2],
    ['in another group of one scope', 'queue', 0, { MessageGroupId: 'h' }, 1],
  ])('with one identifier %s are duplicates or not', async (...row) => {
    const [, scope, ms, other, expected] = row;
    const url = await create('dirty.fifo', { DeduplicationScope: scope });
    const first = await send(url, fifo);
    time.now += ms;
    const second = await send(url, { ...fifo, ...other });
    expect(await receive(url)).toHaveLength(expected);
    expect(second.MessageId === first.MessageId).toBe(expected === 1);
  });

  it('without an identifier are distinguished by their content if the queue reports it', async () => {
    const url = await create('dirty.fifo', { ContentBasedDeduplication: 'true' });
    for (const MessageBody of ['a', 'a', 'b'])
      await send(url, { MessageGroupId: 'g', MessageBody });
    expect(await receive(url)).toHaveLength(2);
  });

  it.each([
    ['InvalidMessageContents', 'events', { MessageBody: 'a\uFFFE' }],
    ['MissingParameter', 'events', { MessageBody: '' }],
    ['InvalidParameterValue', 'events', { MessageBody: 'x'.repeat(1024 * 1024 + 1) }],
    ['InvalidParameterValue', 'events', { DelaySeconds: 901 }],
    ['MissingParameter', 'dirty.fifo', { MessageDeduplicationId: 'd' }],
    ['InvalidParameterValue', 'dirty.fifo', { MessageGroupId: 'g' }],
    ['InvalidParameterValue', 'dirty.fifo', { ...fifo, MessageGroupId: 'a b' }],
    ['InvalidParameterValue', 'dirty.fifo', { ...fifo, DelaySeconds: 1 }],
  ])('are rejected with %s in %s: %o', async (name, queueName, message) => {
    const url = await create(queueName);
    await expect(send(url, message)).rejects.toMatchObject({ name });
  });
});

describe('batches', () => {
  it.each([
    ['EmptyBatchRequest', []],
    ['TooManyEntriesInBatchRequest', Array.from({ length: 11 }, (_none, Id) => [Id, 'x'] as const)],
    [
      'BatchRequestTooLong',
      [
        [0, 'x'.repeat(600_000)],
        [1, 'x'.repeat(600_000)],
      ] as const,
    ],
    [
      'BatchEntryIdsNotDistinct',
      [
        [0, 'x'],
        [0, 'y'],
      ] as const,
    ],
  ])('are rejected with %s', async (name, entries) => {
    const url = await create('events');
    const Entries = entries.map(([id, MessageBody]) => ({ Id: String(id), MessageBody }));
    await expect(
      client.send(new SendMessageBatchCommand({ QueueUrl: url, Entries })),
    ).rejects.toMatchObject({ name });
  });

  it('report each entry', async () => {
    const url = await create('dirty.fifo');
    await send(url, fifo);
    const [message] = await receive(url);
    time.now += 30_000;
    const output = await client.send(
      new DeleteMessageBatchCommand({
        QueueUrl: url,
        Entries: [
          { Id: 'outdated', ReceiptHandle: message?.ReceiptHandle },
          { Id: 'odd', ReceiptHandle: 'odd' },
        ],
      }),
    );
    expect(output.Failed).toMatchObject([
      { Id: 'outdated', Code: 'InvalidParameterValue', SenderFault: true },
      { Id: 'odd', Code: 'ReceiptHandleIsInvalid', SenderFault: true },
    ]);
  });
});

describe('HTTP', () => {
  it('rejects what is not signed', async () => {
    const response = await fetch(server.url, { method: 'POST', body: '{}' });
    expect(response.status).toBe(403);
  });

  it('rejects an operation that it does not know', async () => {
    const response = await fetch(server.url, {
      method: 'POST',
      headers: {
        'X-Amz-Target': 'AmazonSQS.StartMessageMoveTask',
        Authorization: 'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/sqs/aws4_request',
      },
      body: '{}',
    });
    expect(await response.json()).toMatchObject({
      __type: 'com.amazonaws.sqs#UnsupportedOperation',
    });
  });
});

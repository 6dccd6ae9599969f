import { randomUUID } from 'node:crypto';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { createSqsMessageQueue } from '#shared/adapters/sqs/message-queue.ts';
import type { MakeMessageQueue } from './queue-harness.ts';

/** Of a FIFO queue, as `infra/` deploys it. */
const FIFO_ATTRIBUTES = {
  FifoQueue: 'true',
  DeduplicationScope: 'messageGroup',
  FifoThroughputLimit: 'perMessageGroupId',
};

/**
 * Makes queues of SQS for the contract suite, each with a dead-letter queue, on whatever the client speaks to: the test
 * server, an emulator or AWS. They are deleted when the suite closes them.
 *
 * @param connect Asked once per queue, within a test: a suite may start its endpoint before.
 */
export function createSqsQueueMaker(connect: () => SQSClient): MakeMessageQueue {
  return async ({ fifo, visibilityTimeoutSeconds, maxReceiveCount }) => {
    const client = connect();
    const name = `contract-${randomUUID()}`;
    const create = async (
      suffix: string,
      attributes: Readonly<Record<string, string>>,
    ): Promise<string> => {
      const { QueueUrl = '' } = await client.send(
        new CreateQueueCommand({
          QueueName: `${name}${suffix}${fifo ? '.fifo' : ''}`,
          Attributes: {
            VisibilityTimeout: String(visibilityTimeoutSeconds),
            ...(fifo ? FIFO_ATTRIBUTES : {}),
            ...attributes,
          },
        }),
      );
      return QueueUrl;
    };
    const deadLetterUrl = await create('-dlq', {});
    const { Attributes = {} } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl: deadLetterUrl, AttributeNames: ['QueueArn'] }),
    );
    const policy = { deadLetterTargetArn: Attributes['QueueArn'], maxReceiveCount };
    const queueUrl = await create('', { RedrivePolicy: JSON.stringify(policy) });
    return {
      queue: createSqsMessageQueue({ client, queueUrl, fifo }),
      deadLetterQueue: createSqsMessageQueue({ client, queueUrl: deadLetterUrl, fifo }),
      close: async () => {
        for (const QueueUrl of [queueUrl, deadLetterUrl])
          await client.send(new DeleteQueueCommand({ QueueUrl }));
      },
    };
  };
}

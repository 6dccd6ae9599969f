import {
  CreateEventBusCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { createSqsClient } from '#shared/adapters/sqs/client.ts';
import { createSqsMessageQueue } from '#shared/adapters/sqs/message-queue.ts';
import { isObject, type JsonObject, parseJson } from '#shared/core/json.ts';
import type { Emulator } from './emulator.ts';

const NAME = 'starfold-events';

/** An event bus of the account, with a rule that sends the events of Starfold to a queue. */
export interface SubscribedBus {
  readonly arn: string;
  /** The `detail` of each event that has arrived since the last call. */
  take(): Promise<readonly JsonObject[]>;
}

function detailOf(body: string): JsonObject {
  const envelope = parseJson(body);
  const detail = isObject(envelope) ? envelope['detail'] : undefined;
  if (!isObject(detail)) throw new Error(`an event of another form: ${body}`);
  return detail;
}

/** Creates an event bus, as an operator does before a deployment. */
export async function createSubscribedBus(emulator: Emulator): Promise<SubscribedBus> {
  const events = new EventBridgeClient(emulator.config());
  const sqs = new SQSClient(emulator.config());
  const { EventBusArn: arn = '' } = await events.send(new CreateEventBusCommand({ Name: NAME }));
  const { QueueUrl: queueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: NAME }));
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['QueueArn'] }),
  );
  const Rule = 'to-queue';
  const EventPattern = JSON.stringify({ source: ['dev.starfold'] });
  await events.send(new PutRuleCommand({ Name: Rule, EventBusName: NAME, EventPattern }));
  const Targets = [{ Id: 'queue', Arn: Attributes['QueueArn'] ?? '' }];
  await events.send(new PutTargetsCommand({ Rule, EventBusName: NAME, Targets }));
  const queue = createSqsMessageQueue({
    ...{ client: createSqsClient(emulator.config()), queueUrl, fifo: false },
  });
  return {
    arn,
    async take() {
      const messages = await queue.receive({ max: 10, waitSeconds: 1 });
      await queue.delete(messages.map(({ receiptHandle }) => receiptHandle));
      return messages.map(({ body }) => detailOf(body));
    },
  };
}

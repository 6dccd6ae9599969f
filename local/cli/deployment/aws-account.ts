import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateDescribeStacks,
} from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { GetRoleCommand, GetUserCommand, IAMClient } from '@aws-sdk/client-iam';
import {
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { createDynamoDbClient } from '#shared/adapters/dynamodb/client.ts';
import { createDynamoDbItemStore } from '#shared/adapters/dynamodb/item-store.ts';
import { createSqsClient } from '#shared/adapters/sqs/client.ts';
import { createSqsMessageQueue } from '#shared/adapters/sqs/message-queue.ts';
import type { Account, Principal, PrincipalName, Stack } from './account.ts';

const AGE_PERIOD_SECONDS = 60;

/** Runs a request. Returns `undefined` for an error that means that the resource does not exist. */
async function unlessAbsent<T>(
  request: Promise<T>,
  isAbsence: (error: Error) => boolean,
): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof Error && isAbsence(error)) return undefined;
    throw error;
  }
}

/** CloudFormation has no specific error for this. */
function isNoStack({ name, message }: Error): boolean {
  return name === 'ValidationError' && message.includes('does not exist');
}

function stacks(client: CloudFormationClient): Pick<Account, 'stack' | 'stackNames'> {
  return {
    stack: async (name) => {
      const request = client.send(new DescribeStacksCommand({ StackName: name }));
      const [found] = (await unlessAbsent(request, isNoStack))?.Stacks ?? [];
      if (found === undefined) return undefined;
      const { StackStatus = '', StackStatusReason = '', Outputs = [] } = found;
      const changed = found.LastUpdatedTime ?? found.CreationTime;
      const stack: Stack = {
        status: StackStatus,
        reason: StackStatusReason,
        changedMs: changed?.getTime() ?? 0,
        outputs: new Map(
          Outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
        ),
      };
      return stack;
    },
    stackNames: async () => {
      const names: string[] = [];
      for await (const { Stacks = [] } of paginateDescribeStacks({ client }, {}))
        names.push(...Stacks.flatMap(({ StackName }) => StackName ?? []));
      return names;
    },
  };
}

function functions(client: LambdaClient): Pick<Account, 'functionState' | 'invoke'> {
  return {
    functionState: async (name) => {
      const request = client.send(new GetFunctionConfigurationCommand({ FunctionName: name }));
      const found = await unlessAbsent(
        request,
        (error) => error.name === 'ResourceNotFoundException',
      );
      if (found === undefined) return undefined;
      return {
        state: found.State ?? '',
        lastUpdate: found.LastUpdateStatus ?? '',
        reason: found.StateReason ?? found.LastUpdateStatusReason ?? '',
        changed: found.LastModified ?? '',
        role: found.Role ?? '',
      };
    },
    invoke: async (name, payload) => {
      const { Payload, FunctionError } = await client.send(
        new InvokeCommand({ FunctionName: name, Payload: Buffer.from(payload) }),
      );
      return {
        payload: Buffer.from(Payload ?? []).toString('utf8'),
        failed: FunctionError !== undefined,
      };
    },
  };
}

function queueAges(client: CloudWatchClient): Account['oldestMessageSeconds'] {
  return async (queueNames, { fromMs, toMs }) => {
    const { MetricDataResults = [] } = await client.send(
      new GetMetricDataCommand({
        StartTime: new Date(fromMs),
        EndTime: new Date(toMs),
        MetricDataQueries: queueNames.map((queue, index) => ({
          Id: `q${index}`,
          MetricStat: {
            Metric: {
              Namespace: 'AWS/SQS',
              MetricName: 'ApproximateAgeOfOldestMessage',
              Dimensions: [{ Name: 'QueueName', Value: queue }],
            },
            Period: AGE_PERIOD_SECONDS,
            Stat: 'Maximum',
          },
        })),
      }),
    );
    return queueNames.map((_queue, index) => {
      const { Values = [] } = MetricDataResults.find(({ Id }) => Id === `q${index}`) ?? {};
      return Values.length === 0 ? undefined : Math.max(...Values);
    });
  };
}

async function findPrincipal(
  client: IAMClient,
  { type, name }: PrincipalName,
): Promise<Principal | undefined> {
  if (type === 'role') {
    const { Role } = await client.send(new GetRoleCommand({ RoleName: name }));
    return { id: Role?.RoleId ?? '', arn: Role?.Arn ?? '' };
  }
  const { User } = await client.send(new GetUserCommand({ UserName: name }));
  return { id: User?.UserId ?? '', arn: User?.Arn ?? '' };
}

/**
 * The account and region that the SDK finds in its environment (credentials, `AWS_REGION`, `AWS_ENDPOINT_URL`), or another
 * region.
 */
export function createAwsAccount(region: string | undefined): Account {
  const config = region === undefined ? {} : { region };
  const sts = new STSClient(config);
  const iam = new IAMClient(config);
  const sqs = createSqsClient(config);
  return {
    region: async () => sts.config.region(),
    identity: async () => {
      const {
        Account: account = '',
        Arn = '',
        UserId = '',
      } = await sts.send(new GetCallerIdentityCommand({}));
      return { account, arn: Arn, userId: UserId };
    },
    ...stacks(new CloudFormationClient(config)),
    ...functions(new LambdaClient(config)),
    oldestMessageSeconds: queueAges(new CloudWatchClient(config)),
    queueCounts: async (queueUrl) => {
      const { Attributes } = await sqs.send(
        new GetQueueAttributesCommand({
          QueueUrl: queueUrl,
          AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
        }),
      );
      return {
        waiting: Number(Attributes?.ApproximateNumberOfMessages ?? 0),
        inFlight: Number(Attributes?.ApproximateNumberOfMessagesNotVisible ?? 0),
      };
    },
    principal: (name) =>
      unlessAbsent(findPrincipal(iam, name), (error) => error.name === 'NoSuchEntityException'),
    itemStore: (tableName) =>
      createDynamoDbItemStore({ client: createDynamoDbClient(config), tableName }),
    messageQueue: (queueUrl) =>
      createSqsMessageQueue({ client: sqs, queueUrl, fifo: queueUrl.endsWith('.fifo') }),
  };
}

import {
  CloudFormationClient,
  DescribeStackResourceCommand,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation';
import {
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import {
  AttachRolePolicyCommand,
  AttachUserPolicyCommand,
  CreateAccessKeyCommand,
  CreateRoleCommand,
  CreateUserCommand,
  DetachRolePolicyCommand,
  DetachUserPolicyCommand,
  GetRolePolicyCommand,
  IAMClient,
  PutRolePolicyCommand,
  PutUserPolicyCommand,
  UpdateAccessKeyCommand,
} from '@aws-sdk/client-iam';
import {
  InvokeCommand,
  LambdaClient,
  UpdateFunctionCodeCommand,
  waitUntilFunctionUpdatedV2,
} from '@aws-sdk/client-lambda';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
import { createSqsClient } from '#shared/adapters/sqs/client.ts';
import type { Credentials, Emulator } from './emulator.ts';

/** A user of IAM with an access key. */
export interface User {
  readonly name: string;
  readonly id: string;
  readonly arn: string;
  readonly credentials: Credentials;
}

/** What an emulator does with those who send messages. */
export interface SenderProbe {
  /** Whether one who may not send is refused. */
  readonly areChecked: boolean;
  /** Whether a queue records who has sent a message, as SQS does, so that one can be told from another. */
  readonly areTold: boolean;
  /** As whom the user was recorded: by his unique ID, or only by the number of the account. */
  readonly recorded: string;
}

/** What an administrator of the account does, besides deploying. */
export interface Account {
  createUser(name: string): Promise<User>;
  attachPolicy(user: User, policyArn: string): Promise<void>;
  /** Makes a role that Lambda may take, with a policy; its ARN. */
  createRole(name: string, policyArn: string): Promise<string>;
  /** What `aws iam detach-<kind>-policy` does. */
  detachPolicy(kind: 'role' | 'user', name: string, policyArn: string): Promise<void>;
  /** What `aws cloudformation update-termination-protection --no-enable-termination-protection` does. */
  unprotectStack(name: string): Promise<void>;
  /** What `aws dynamodb update-table --no-deletion-protection-enabled` does. */
  unprotectTable(name: string): Promise<void>;
  /** @throws Error of DynamoDB where the table is protected, or is not there. */
  deleteTable(name: string): Promise<void>;
  /** Whether there is such a table. */
  hasTable(name: string): Promise<boolean>;
  /** Lets a user do one thing more. */
  allow(user: User, action: string, resource: string): Promise<void>;
  /** Makes a user's access key count, or not. */
  setKeyActive(user: User, isActive: boolean): Promise<void>;
  /** Finds out with a user, who may nothing so far, what the emulator does with senders. */
  probeSenders(user: User): Promise<SenderProbe>;
  /** Takes an action from the role of a function; what is returned gives it back. */
  revoke(stack: string, role: string, action: string): Promise<() => Promise<void>>;
  setQueue(queueUrl: string, attributes: Readonly<Record<string, string>>): Promise<void>;
  queueArn(queueUrl: string): Promise<string>;
  /** Messages that wait or are being handled. */
  queueLength(queueUrl: string): Promise<number>;
  /** Replaces the code of a function, as a deployment does, and waits until the new code is used. */
  replaceCode(functionName: string, archive: Uint8Array): Promise<void>;
  /** @throws Error with what the function answered when it failed. */
  invoke(functionName: string, payload: object): Promise<unknown>;
}

/** @throws Error when no statement names the action. */
function withoutAction(policy: string, action: string): string {
  const without = JSON.stringify(JSON.parse(policy), (key, value: unknown) =>
    key === 'Action' && Array.isArray(value) ? value.filter((one) => one !== action) : value,
  );
  if (!policy.includes(`"${action}"`) || without.includes(`"${action}"`))
    throw new Error(`the policy does not list ${action}: ${policy}`);
  return without;
}

/** What an administrator does in the account of an emulator. */
export function createAccount(emulator: Emulator): Account {
  const config = emulator.config();
  const iam = new IAMClient(config);
  const sqs = createSqsClient(config);
  const lambda = new LambdaClient(config);
  const cloudFormation = new CloudFormationClient(config);
  const dynamoDb = new DynamoDBClient(config);

  const attributesOf = async (
    QueueUrl: string,
    ...AttributeNames: (
      | 'ApproximateNumberOfMessages'
      | 'ApproximateNumberOfMessagesNotVisible'
      | 'QueueArn'
    )[]
  ): Promise<Readonly<Record<string, string>>> => {
    const { Attributes = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames }),
    );
    return Attributes;
  };

  const queueArn = async (queueUrl: string): Promise<string> =>
    (await attributesOf(queueUrl, 'QueueArn'))['QueueArn'] ?? '';
  const allow: Account['allow'] = async ({ name }, Action, Resource) => {
    const Statement = [{ Effect: 'Allow', Action, Resource }];
    await iam.send(
      new PutUserPolicyCommand({
        UserName: name,
        PolicyName: Action.replace(':', '-'),
        PolicyDocument: JSON.stringify({ Version: '2012-10-17', Statement }),
      }),
    );
  };

  return {
    createUser: async (name) => {
      const { User } = await iam.send(new CreateUserCommand({ UserName: name }));
      const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName: name }));
      return {
        name,
        id: User?.UserId ?? '',
        arn: User?.Arn ?? '',
        credentials: {
          accessKeyId: AccessKey?.AccessKeyId ?? '',
          secretAccessKey: AccessKey?.SecretAccessKey ?? '',
        },
      };
    },
    attachPolicy: async ({ name }, PolicyArn) => {
      await iam.send(new AttachUserPolicyCommand({ UserName: name, PolicyArn }));
    },
    createRole: async (RoleName, PolicyArn) => {
      const Statement = [
        {
          Effect: 'Allow',
          Principal: { Service: 'lambda.amazonaws.com' },
          Action: 'sts:AssumeRole',
        },
      ];
      const AssumeRolePolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement });
      const { Role } = await iam.send(
        new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument }),
      );
      await iam.send(new AttachRolePolicyCommand({ RoleName, PolicyArn }));
      return Role?.Arn ?? '';
    },
    detachPolicy: async (kind, name, PolicyArn) => {
      if (kind === 'role')
        await iam.send(new DetachRolePolicyCommand({ RoleName: name, PolicyArn }));
      else await iam.send(new DetachUserPolicyCommand({ UserName: name, PolicyArn }));
    },
    unprotectStack: async (StackName) => {
      await cloudFormation.send(
        new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection: false }),
      );
    },
    unprotectTable: async (TableName) => {
      await dynamoDb.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }));
    },
    deleteTable: async (TableName) => {
      await dynamoDb.send(new DeleteTableCommand({ TableName }));
    },
    hasTable: (TableName) =>
      dynamoDb.send(new DescribeTableCommand({ TableName })).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Error && error.name === 'ResourceNotFoundException') return false;
          throw error;
        },
      ),
    setKeyActive: async ({ name, credentials }, isActive) => {
      await iam.send(
        new UpdateAccessKeyCommand({
          UserName: name,
          AccessKeyId: credentials.accessKeyId,
          Status: isActive ? 'Active' : 'Inactive',
        }),
      );
    },
    allow,
    probeSenders: async (user) => {
      const { id, credentials } = user;
      const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: 'senders' }));
      const own = createSqsClient(emulator.config(credentials));
      const send = () => own.send(new SendMessageCommand({ QueueUrl, MessageBody: 'who am I?' }));
      const areChecked = await send().then(
        () => false,
        () => true,
      );
      await allow(user, 'sqs:SendMessage', await queueArn(QueueUrl));
      await send();
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl,
          WaitTimeSeconds: 5,
          MessageSystemAttributeNames: ['SenderId'],
        }),
      );
      const recorded = Messages[0]?.Attributes?.SenderId ?? '';
      return { areChecked, areTold: recorded === id, recorded };
    },
    revoke: async (stack, role, action) => {
      const { StackResourceDetail } = await cloudFormation.send(
        new DescribeStackResourceCommand({ StackName: stack, LogicalResourceId: role }),
      );
      const policy = { RoleName: StackResourceDetail?.PhysicalResourceId, PolicyName: 'calls' };
      const { PolicyDocument = '' } = await iam.send(new GetRolePolicyCommand(policy));
      const before = decodeURIComponent(PolicyDocument);
      const put = async (text: string): Promise<void> => {
        await iam.send(new PutRolePolicyCommand({ ...policy, PolicyDocument: text }));
      };
      await put(withoutAction(before, action));
      return () => put(before);
    },
    setQueue: async (QueueUrl, Attributes) => {
      await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { ...Attributes } }));
    },
    queueArn,
    queueLength: async (queueUrl) => {
      const counts = await attributesOf(
        queueUrl,
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesNotVisible',
      );
      return Object.values(counts).reduce((sum, count) => sum + Number(count), 0);
    },
    replaceCode: async (FunctionName, ZipFile) => {
      await lambda.send(new UpdateFunctionCodeCommand({ FunctionName, ZipFile }));
      await waitUntilFunctionUpdatedV2({ client: lambda, maxWaitTime: 60 }, { FunctionName });
    },
    invoke: async (name, payload) => {
      const { Payload, FunctionError } = await lambda.send(
        new InvokeCommand({ FunctionName: name, Payload: Buffer.from(JSON.stringify(payload)) }),
      );
      const answer = Buffer.from(Payload ?? []).toString('utf8');
      if (FunctionError !== undefined) throw new Error(`${name}: ${answer}`);
      return JSON.parse(answer === '' ? 'null' : answer);
    },
  };
}

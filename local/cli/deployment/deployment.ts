import { InputError } from '#local/cli/terminal/cli-error.ts';
import type { RedrivableQueue } from '#shared/messages/redrive.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';
import type { Account, Stack } from './account.ts';
import { existingStages, noOutput, noStack } from './messages.ts';

/** Every queue with a dead-letter queue that a stack may have, in the order of the pipeline. */
export const QUEUES = [
  'events',
  'dirty',
  'hints',
  'notifications',
] as const satisfies readonly RedrivableQueue[];

/** The Lambda functions that a stack may have, by the names of their folders. */
export const FUNCTIONS = [
  'record-events',
  'aggregate-workload',
  'write-results',
  'sweep-stale',
  'send-notifications',
  'serve-api',
] as const;
/** One of {@link FUNCTIONS}. */
export type FunctionName = (typeof FUNCTIONS)[number];

/** The functions that a stack only has with some settings, and the outputs that it then has. */
const OPTIONAL: Readonly<Partial<Record<FunctionName, string>>> = {
  'send-notifications': 'NotificationsQueueUrl',
  'serve-api': 'ApiUrl',
};

/** The functions that a stack should have. */
export function functionsOf({ outputs }: Stack): readonly FunctionName[] {
  return FUNCTIONS.filter((name) => {
    const output = OPTIONAL[name];
    return output === undefined || outputs.has(output);
  });
}

/** A queue and its dead-letter queue. */
export interface QueuePair {
  readonly name: RedrivableQueue;
  readonly queueUrl: string;
  readonly deadLettersUrl: string;
  readonly queue: MessageQueue;
  readonly deadLetters: MessageQueue;
}

/** A deployed Starfold. */
export interface Deployment {
  /** `starfold-<stage>`. */
  readonly name: string;
  readonly store: ItemStore;
  readonly queues: Readonly<Record<Exclude<RedrivableQueue, 'notifications'>, QueuePair>> & {
    /** Absent if the settings name no notifications. */
    readonly notifications?: QueuePair;
  };
}

/** Keys of the stack's outputs (infra/outputs.yml, infra/notifications.yml). */
const OUTPUTS: Readonly<Record<RedrivableQueue, readonly [queue: string, deadLetters: string]>> = {
  events: ['EventsQueueUrl', 'EventsDeadLetterQueueUrl'],
  dirty: ['DirtyQueueUrl', 'DirtyDeadLetterQueueUrl'],
  hints: ['HintsQueueUrl', 'HintsDeadLetterQueueUrl'],
  notifications: ['NotificationsQueueUrl', 'NotificationsDeadLetterQueueUrl'],
};
const STACK = /^starfold-(.+)$/;

/** The name of the stack of a stage. */
export function stackName(stage: string): string {
  return `starfold-${stage}`;
}

/** The name of a function in a stack. */
export function functionName(stack: string, name: FunctionName): string {
  return `${stack}-${name}`;
}

async function otherStages(account: Account): Promise<string> {
  const names = await account.stackNames().catch(() => undefined);
  if (names === undefined) return '';
  const stages = names.flatMap((name) => STACK.exec(name)?.[1] ?? []).sort();
  return existingStages(stages);
}

/**
 * The stack of a stage.
 *
 * @throws InputError that lists the existing stages if there is no such stack; what the account throws
 */
export async function findStack(account: Account, stage: string): Promise<Stack> {
  const name = stackName(stage);
  const stack = await account.stack(name);
  if (stack !== undefined) return stack;
  const region = await account.region();
  throw new InputError(noStack(name, region, await otherStages(account)));
}

/**
 * The locations that the outputs of a stack contain.
 *
 * @throws InputError if an output is missing because the stack is not Starfold's, or is not completely deployed
 */
export function deploymentOf(account: Account, stage: string, stack: Stack): Deployment {
  const name = stackName(stage);
  const output = (key: string): string => {
    const value = stack.outputs.get(key);
    if (value !== undefined) return value;
    throw new InputError(noOutput(name, stack.status, key));
  };
  const pair = (queue: RedrivableQueue): QueuePair => {
    const [queueKey, deadLettersKey] = OUTPUTS[queue];
    const queueUrl = output(queueKey);
    const deadLettersUrl = output(deadLettersKey);
    return {
      name: queue,
      queueUrl,
      deadLettersUrl,
      queue: account.messageQueue(queueUrl),
      deadLetters: account.messageQueue(deadLettersUrl),
    };
  };
  return {
    name,
    store: account.itemStore(output('TableName')),
    queues: {
      ...{ events: pair('events'), dirty: pair('dirty'), hints: pair('hints') },
      ...(stack.outputs.has(OUTPUTS.notifications[0])
        ? { notifications: pair('notifications') }
        : {}),
    },
  };
}

/** The queues of a deployment, in the order of the pipeline. */
export function pairsOf({ queues }: Deployment): readonly QueuePair[] {
  return QUEUES.flatMap((name) => queues[name] ?? []);
}

/**
 * Finds a deployment.
 * @throws like {@link findStack} and {@link deploymentOf}
 */
export async function findDeployment(account: Account, stage: string): Promise<Deployment> {
  return deploymentOf(account, stage, await findStack(account, stage));
}

/**
 * The principal of a function's role, which SQS records as the sender of its messages. `undefined` if there is no such
 * function or role.
 */
export async function principalOfFunction(
  account: Account,
  stack: string,
  name: FunctionName,
): Promise<string | undefined> {
  const state = await account.functionState(functionName(stack, name));
  const role = state?.role.split('/').at(-1);
  if (role === undefined || role === '') return undefined;
  return (await account.principal({ type: 'role', name: role }))?.id;
}

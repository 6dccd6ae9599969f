import { randomUUID } from 'node:crypto';
import type {
  Account,
  FunctionState,
  Invocation,
  Principal,
  Stack,
} from '#local/cli/deployment/account.ts';
import { FUNCTIONS } from '#local/cli/deployment/deployment.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import type { RedrivableQueue } from '#shared/messages/redrive.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import {
  createMemoryMessageQueue,
  type MemoryMessageQueue,
} from '#test/fakes/memory-message-queue.ts';

/** 2026-11-21T12:00:00Z */
export const NOW_MS = 1_795_262_400_000;
export const OPERATOR = 'AIDAOPERATOR';
export const RECORDER = 'AROARECORDER';

/** An account in memory with one deployment, of the stage `prod`, in which a test changes what it wants. */
export interface FakeAccount extends Account {
  readonly queues: Readonly<Record<RedrivableQueue, MemoryMessageQueue>>;
  readonly deadLetters: Readonly<Record<RedrivableQueue, MemoryMessageQueue>>;
  readonly store: ItemStore;
  readonly stacks: Map<string, Stack>;
  readonly functions: Map<string, FunctionState>;
  readonly principals: Map<string, Principal>;
  readonly ages: Map<string, number>;
  readonly invocations: string[];
  answer: Invocation;
  nowMs: number;
  /** While set, the method of this name throws it. */
  readonly failures: Map<keyof Account, Error>;
}

const QUEUES = ['events', 'dirty', 'hints', 'notifications'] as const;
const OUTPUT_KEYS = {
  ...{ events: 'Events', dirty: 'Dirty', hints: 'Hints' },
  notifications: 'Notifications',
} as const;

function urlOf(name: string): string {
  return `https://sqs.eu-west-1.amazonaws.com/111122223333/starfold-prod-${name}`;
}

function suffix(queue: RedrivableQueue): string {
  return queue === 'events' ? '' : '.fifo';
}

function outputs(): ReadonlyMap<string, string> {
  return new Map([
    ['TableName', 'table'],
    ...QUEUES.flatMap((queue): [string, string][] => [
      [`${OUTPUT_KEYS[queue]}QueueUrl`, urlOf(`${queue}${suffix(queue)}`)],
      [`${OUTPUT_KEYS[queue]}DeadLetterQueueUrl`, urlOf(`${queue}-dlq${suffix(queue)}`)],
    ]),
  ]);
}

export function createFakeAccount(): FakeAccount {
  const clock = () => account.nowMs;
  const queue = (name: RedrivableQueue): MemoryMessageQueue =>
    createMemoryMessageQueue({
      fifo: name !== 'events',
      visibilityTimeoutSeconds: 360,
      maxReceiveCount: 20,
      clock,
      createMessageId: randomUUID,
      senderId: OPERATOR,
    });
  const made = () => ({
    ...{ events: queue('events'), dirty: queue('dirty'), hints: queue('hints') },
    notifications: queue('notifications'),
  });
  const [queues, deadLetters] = [made(), made()];
  const byUrl = new Map<string, MemoryMessageQueue>(
    QUEUES.flatMap((name) => [
      [urlOf(`${name}${suffix(name)}`), queues[name]],
      [urlOf(`${name}-dlq${suffix(name)}`), deadLetters[name]],
    ]),
  );
  const found = (url: string): MemoryMessageQueue => {
    const known = byUrl.get(url);
    if (known === undefined) throw new Error(`no queue ${url}`);
    // What the command waits for would never come.
    return { ...known, receive: (options) => known.receive({ ...options, waitSeconds: 0 }) };
  };
  const check = (method: keyof Account): void => {
    const failure = account.failures.get(method);
    if (failure !== undefined) throw failure;
  };
  const account: FakeAccount = {
    queues,
    deadLetters,
    store: createMemoryItemStore(),
    stacks: new Map([
      [
        'starfold-prod',
        {
          status: 'UPDATE_COMPLETE',
          reason: '',
          changedMs: NOW_MS - 86_400_000,
          outputs: outputs(),
        },
      ],
    ]),
    functions: new Map(
      FUNCTIONS.map((name) => [
        `starfold-prod-${name}`,
        {
          state: 'Active',
          lastUpdate: 'Successful',
          reason: '',
          changed: '2026-11-20T12:00:00.000+0000',
          role: `arn:aws:iam::111122223333:role/starfold-prod-${name}`,
        },
      ]),
    ),
    principals: new Map([
      [
        'role/starfold-prod-record-events',
        { id: RECORDER, arn: 'arn:aws:iam::111122223333:role/starfold-prod-record-events' },
      ],
    ]),
    ages: new Map(),
    invocations: [],
    answer: { payload: '[{"wds":"wds1","reachable":true,"missing":[]}]', failed: false },
    nowMs: NOW_MS,
    failures: new Map(),
    region: async () => {
      check('region');
      return 'eu-west-1';
    },
    identity: async () => {
      check('identity');
      return {
        account: '111122223333',
        arn: 'arn:aws:iam::111122223333:user/operator',
        userId: OPERATOR,
      };
    },
    stack: async (name) => {
      check('stack');
      return account.stacks.get(name);
    },
    stackNames: async () => {
      check('stackNames');
      return [...account.stacks.keys()];
    },
    functionState: async (name) => {
      check('functionState');
      return account.functions.get(name);
    },
    invoke: async (name, payload) => {
      check('invoke');
      account.invocations.push(`${name} ${payload}`);
      return account.answer;
    },
    queueCounts: async (url) => {
      check('queueCounts');
      const { visible, inFlight } = await found(url).counts();
      return { waiting: visible, inFlight };
    },
    oldestMessageSeconds: async (names) => {
      check('oldestMessageSeconds');
      return names.map((name) => account.ages.get(name));
    },
    principal: async ({ type, name }) => {
      check('principal');
      return account.principals.get(`${type}/${name}`);
    },
    itemStore: () => account.store,
    messageQueue: found,
  };
  return account;
}

/** A terminal that remembers. */
export interface FakeTerminal extends Terminal {
  written: string;
  readonly notices: string[];
}

export function createFakeTerminal(account: Pick<FakeAccount, 'nowMs'>): FakeTerminal {
  const terminal: FakeTerminal = {
    written: '',
    notices: [],
    out: (text) => {
      terminal.written += text;
    },
    drained: async () => undefined,
    notice: (text) => void terminal.notices.push(text),
    progress: () => undefined,
    usage: () => undefined,
    input: async () => new Uint8Array(),
    isTerminal: false,
    columns: 80,
    clock: () => account.nowMs,
  };
  return terminal;
}

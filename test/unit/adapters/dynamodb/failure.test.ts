import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { NodeHttpHandler } from '@smithy/node-http-handler';
import { describe, expect, it } from 'vitest';
import { createDynamoDbClient } from '#shared/adapters/dynamodb/client.ts';
import {
  allowOperation,
  CALLED_OFF,
  CHECK_CREDENTIALS,
  CHECK_ENDPOINT,
  NO_CREDENTIALS,
  NO_TABLE,
  RENEW_CREDENTIALS,
  tableText,
} from '#shared/adapters/dynamodb/messages.ts';
import { sleep } from '#shared/adapters/dynamodb/table.ts';
import { StoreUnavailableError } from '#shared/errors.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { Fate } from '#test/fakes/dynamodb-proxy.ts';
import { EMULATED } from '#test/fakes/dynamodb-table.ts';
import { MAX_ATTEMPTS, useHarness } from './harness.ts';

const harness = useHarness();
const KEY = { pk: 'p', sk: 's' };

type Method = (store: ItemStore, signal?: AbortSignal) => Promise<unknown>;

const METHODS: readonly (readonly [string, Method])[] = [
  ['BatchGetItem', (store, signal) => store.get([KEY], signal)],
  ['Query', (store, signal) => store.query({ pk: 'p' }, signal)],
  ['BatchWriteItem', (store, signal) => store.put([{ item: KEY }], signal)],
  ['PutItem', (store, signal) => store.put([{ item: KEY, condition: { type: 'absent' } }], signal)],
  ['BatchWriteItem', (store, signal) => store.delete([{ key: KEY }], signal)],
  ['DeleteItem', (store, signal) => store.delete([{ key: KEY, version: '1' }], signal)],
];

async function failureOf(call: Promise<unknown>): Promise<StoreUnavailableError> {
  const error = await call.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StoreUnavailableError);
  // Just asserted.
  return error as StoreUnavailableError;
}

describe('errors of DynamoDB', () => {
  interface Case {
    readonly name: string;
    readonly status?: number;
    readonly attempts: number;
    readonly words: string;
  }
  const again = { attempts: MAX_ATTEMPTS, words: 'scripted' };
  const credentials = { attempts: 1, words: `(${CHECK_CREDENTIALS})` };
  const expired = { attempts: 1, words: `(${RENEW_CREDENTIALS})` };
  it.each<Case>([
    { name: 'ProvisionedThroughputExceededException', ...again },
    { name: 'ThrottlingException', ...again },
    { name: 'RequestLimitExceeded', ...again },
    { name: 'InternalServerError', status: 500, ...again },
    { name: 'ServiceUnavailable', status: 503, ...again },
    { name: 'ExpiredTokenException', ...expired },
    { name: 'ExpiredToken', ...expired },
    { name: 'UnrecognizedClientException', ...credentials },
    { name: 'InvalidSignatureException', ...credentials },
    { name: 'InvalidClientTokenId', ...credentials },
    { name: 'IncompleteSignatureException', ...credentials },
    { name: 'MissingAuthenticationTokenException', ...credentials },
    {
      name: 'ResourceNotFoundException',
      attempts: 1,
      words: `(${NO_TABLE})`,
    },
  ])(
    '$name after $attempts attempts is a StoreUnavailableError',
    async ({ name, status = 400, attempts, words }) => {
      for (const [operation, call] of METHODS) {
        harness.proxy.reset(() => ({ type: 'error', name, status }));
        const error = await failureOf(call(harness.store));
        expect(error.message).toContain(
          `item store unavailable: ${operation} on table unit in eu-west-1: ${name}: `,
        );
        expect(error.message).toContain(words);
        expect(error.retryable).toBe(true);
        expect(error.cause).toMatchObject({ name });
        expect(harness.proxy.requests).toHaveLength(attempts);
      }
    },
  );

  it('name the permission that is missing', async () => {
    for (const [operation, call] of METHODS) {
      harness.proxy.reset(() => ({ type: 'error', name: 'AccessDeniedException' }));
      const { message } = await failureOf(call(harness.store));
      expect(message).toContain(`(${allowOperation(operation)})`);
    }
  });

  it('are forgotten when the next attempt succeeds', async () => {
    const item = { pk: harness.partition(), sk: 'one' };
    const throttledOnce = (_request: unknown, index: number): Fate =>
      index === 0 ? { type: 'error', name: 'ThrottlingException' } : { type: 'pass' };
    harness.proxy.reset(throttledOnce);
    expect(await harness.store.put([{ item }])).toEqual([true]);
    harness.proxy.reset(throttledOnce);
    expect(await harness.store.get([item])).toEqual([item]);
    harness.proxy.reset(throttledOnce);
    expect(await harness.store.query({ pk: item.pk })).toEqual({ items: [item] });
  });

  it('are thrown as they are when the request is wrong', async () => {
    harness.proxy.reset(() => ({ type: 'error', name: 'ValidationException' }));
    await expect(harness.store.query({ pk: 'p' })).rejects.toMatchObject({
      name: 'ValidationException',
    });
  });

  it('name a table that is not there', async () => {
    const store = harness.storeWith({}, { tableName: 'absent-table' });
    const { message } = await failureOf(store.query({ pk: 'p' }));
    expect(message).toMatch(/Query on table absent-table in eu-west-1: ResourceNotFoundException/);
  });
});

/** No connection, for a reason of the system's. */
function failingWith(code: string): DynamoDBClientConfig {
  return {
    requestHandler: {
      handle: async () => {
        throw Object.assign(new Error(code), { code });
      },
    },
  };
}

describe('failures before an answer', () => {
  it.each<[string, DynamoDBClientConfig, string]>([
    [
      'nothing listens',
      { endpoint: 'http://127.0.0.1:1' },
      `ECONNREFUSED 127.0.0.1:1 (${CHECK_ENDPOINT})`,
    ],
    ['no such host', failingWith('ENOTFOUND'), `Error: ENOTFOUND (${CHECK_ENDPOINT})`],
    ['no name server', failingWith('EAI_AGAIN'), `Error: EAI_AGAIN (${CHECK_ENDPOINT})`],
    [
      'no credentials',
      {
        credentials: async () => {
          throw Object.assign(new Error('none found'), { name: 'CredentialsProviderError' });
        },
      },
      `CredentialsProviderError: none found (${NO_CREDENTIALS})`,
    ],
    [
      'no region',
      {
        region: async () => {
          throw new Error('Region is missing');
        },
      },
      `${tableText('unit', undefined)}: Error: Region is missing`,
    ],
  ])('%s: is a StoreUnavailableError', async (_what, config, words) => {
    const error = await failureOf(harness.storeWith(config).get([KEY]));
    expect(error.message).toContain(words);
    expect(error.cause).toBeInstanceOf(Error);
  });

  it('a connection that breaks each time is a StoreUnavailableError', async () => {
    for (const [operation, call] of METHODS) {
      harness.proxy.reset(() => ({ type: 'break' }));
      const { message } = await failureOf(call(harness.store));
      expect(message).toContain(`${operation} on table unit in eu-west-1: `);
      expect(harness.proxy.requests).toHaveLength(MAX_ATTEMPTS);
    }
  });

  it('an answer that does not come in time is a StoreUnavailableError', async () => {
    const store = harness.storeWith({
      requestHandler: { requestTimeout: 20, throwOnRequestTimeout: true },
    });
    harness.proxy.reset(() => ({ type: 'hang' }));
    const { message } = await failureOf(store.get([KEY]));
    expect(message).toMatch(/TimeoutError/);
    expect(harness.proxy.requests).toHaveLength(MAX_ATTEMPTS);
  });
});

describe('a signal', () => {
  it('that has aborted lets nothing be sent', async () => {
    const reason = new Error('out of time');
    for (const [operation, call] of METHODS) {
      const error = await failureOf(call(harness.store, AbortSignal.abort(reason)));
      expect(error.message).toContain(`${operation} on table unit in eu-west-1: ${CALLED_OFF}`);
      expect(error.cause).toBe(reason);
    }
    expect(harness.proxy.requests).toEqual([]);
  });

  it('ends a request that has no answer', async () => {
    const reason = new Error('out of time');
    for (const [, call] of METHODS) {
      const controller = new AbortController();
      harness.proxy.reset(() => {
        controller.abort(reason);
        return { type: 'hang' };
      });
      expect((await failureOf(call(harness.store, controller.signal))).cause).toBe(reason);
      expect(harness.proxy.requests).toHaveLength(1);
    }
  });

  it('ends the waiting for what was left unprocessed', async () => {
    const controller = new AbortController();
    const store = harness.storeWith(
      {},
      {
        sleep: async (_ms, signal) => {
          controller.abort(new Error('out of time'));
          signal?.throwIfAborted();
        },
      },
    );
    harness.proxy.reset(() => ({ type: 'first', count: 0 }));
    const error = await failureOf(store.get([KEY], controller.signal));
    expect(error.message).toContain(CALLED_OFF);
    expect(harness.proxy.requests).toHaveLength(1);
  });

  it('stops a batch of puts: none is sent after it', async () => {
    const pk = harness.partition();
    const controller = new AbortController();
    const puts = Array.from({ length: 40 }, (_, index) => ({
      item: { pk, sk: String(index) },
      condition: { type: 'absent' } as const,
    }));
    harness.proxy.reset(() => {
      controller.abort();
      return { type: 'hang' };
    });
    await failureOf(harness.store.put(puts, controller.signal));
    expect(harness.proxy.requests.length).toBeLessThanOrEqual(16);
  });
});

describe('sleep', () => {
  it('ends by itself, and throws when the signal aborts', async () => {
    await sleep(0);
    const controller = new AbortController();
    const sleeping = sleep(60_000, controller.signal);
    controller.abort();
    await expect(sleeping).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('createDynamoDbClient', () => {
  it('gives up a connection after 1 s and a request after 5 s, and asks five times', async () => {
    const { config } = createDynamoDbClient(EMULATED);
    expect(await config.maxAttempts()).toBe(5);
    expect(await config.retryStrategy()).toMatchObject({ mode: 'standard' });
    // The handler reads its options when it is first used.
    const store = harness.storeWith({ requestHandler: config.requestHandler });
    await store.get([KEY]);
    // The SDK makes a handler of its own kind from options.
    const handler = config.requestHandler as unknown as NodeHttpHandler;
    expect(handler.httpHandlerConfigs()).toMatchObject({
      connectionTimeout: 1_000,
      requestTimeout: 5_000,
      throwOnRequestTimeout: true,
    });
  });
});

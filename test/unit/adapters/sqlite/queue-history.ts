import fc from 'fast-check';
import type {
  MessageQueue,
  OutgoingMessage,
  ReceivedMessage,
} from '#shared/ports/message-queue.ts';

let sent = 0;

/** So much work of a tenant, each in a group of its own. The body is the tenant. */
export function workOf(tenant: string, count = 1): readonly OutgoingMessage[] {
  return Array.from({ length: count }, () => {
    sent += 1;
    return { body: tenant, group: `subject-${sent}`, tenant };
  });
}

/** Received messages. */
export type Batch = readonly ReceivedMessage[];

/** The tenants of messages of {@link workOf}. */
export function tenantsOf(batch: Batch): readonly string[] {
  return batch.map(({ body }) => body);
}

/** Up to ten messages. */
export function receiveFrom(queue: MessageQueue, max = 10): Promise<Batch> {
  return queue.receive({ max, waitSeconds: 0 });
}

/** Deletes received messages. */
export function deleteFrom(queue: MessageQueue, batch: Batch): Promise<void> {
  return queue.delete(batch.map(({ receiptHandle }) => receiptHandle));
}

type Step =
  | { readonly type: 'send'; readonly tenant: string; readonly count: number }
  | { readonly type: 'receive' }
  | { readonly type: 'delete'; readonly batch: number };

/** Steps of a {@link History} in any order. */
export function arbitrarySteps(
  tenants: readonly string[],
  most: number,
): fc.Arbitrary<readonly Step[]> {
  const step = fc.oneof(
    fc.record({
      type: fc.constant('send' as const),
      tenant: fc.constantFrom(...tenants),
      count: fc.integer({ min: 1, max: most }),
    }),
    fc.record({ type: fc.constant('receive' as const) }),
    fc.record({ type: fc.constant('delete' as const), batch: fc.nat({ max: 5 }) }),
  );
  return fc.array(step, { maxLength: 40 });
}

/** What happens to the messages of one queue. */
export class History {
  readonly delivered: string[] = [];
  readonly #queue: MessageQueue;
  readonly #pass: () => void;
  readonly #open: Batch[] = [];
  accepted = 0;

  /** @param pass lets some time pass */
  constructor(queue: MessageQueue, pass: () => void) {
    this.#queue = queue;
    this.#pass = pass;
  }

  async take(one: Step): Promise<void> {
    this.#pass();
    if (one.type === 'receive') await this.#receive();
    else if (one.type === 'delete')
      await deleteFrom(this.#queue, this.#open.splice(one.batch, 1)[0] ?? []);
    else {
      await this.#queue.send(workOf(one.tenant, one.count));
      this.accepted += one.count;
    }
  }

  /** If nothing is in flight, a receive delivers something of what is left. */
  async end(): Promise<void> {
    do {
      for (const batch of this.#open.splice(0)) await deleteFrom(this.#queue, batch);
      this.#pass();
    } while (await this.#receive());
  }

  async #receive(): Promise<boolean> {
    const batch = await receiveFrom(this.#queue);
    this.#open.push(batch);
    this.delivered.push(...batch.map(({ messageId }) => messageId));
    return batch.length > 0;
  }
}

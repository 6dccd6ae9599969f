import type { Delete, ItemKey, ItemStore, Page, Put, Query } from '#shared/ports/item-store.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import type {
  MessageQueue,
  OutgoingMessage,
  ReceivedMessage,
} from '#shared/ports/message-queue.ts';
import type { Actor, Scheduler } from './scheduler.ts';

const TOKEN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A version as the trace shows it. Tokens are never the same, and traces of the same seed are. */
function shown(version = ''): string {
  return TOKEN.test(version) ? 'token' : version;
}

/**
 * An item store as one actor sees it: each call waits for its turn, and a batch is no transaction: its members take
 * effect in any number of steps.
 */
export function steppedStore(scheduler: Scheduler, actor: Actor, store: ItemStore): ItemStore {
  const each = async <Input, Output>(
    inputs: readonly Input[],
    label: (input: Input) => string,
    run: (input: Input) => Promise<Output>,
  ): Promise<readonly Output[]> => {
    const outputs: Output[] = [];
    for (const input of inputs) {
      await scheduler.step(actor, label(input));
      outputs.push(await run(input));
    }
    return outputs;
  };
  return {
    get: (keys: readonly ItemKey[]) =>
      each(
        keys,
        ({ pk, sk }) => `get ${pk} ${sk}`,
        async (key) => (await store.get([key]))[0],
      ),
    async query(query: Query): Promise<Page> {
      await scheduler.step(actor, `query ${query.pk} ${query.from ?? ''}`);
      // Small pages, so that paging is exercised.
      return store.query({ ...query, limit: Math.min(query.limit ?? 3, 3) });
    },
    put: (puts: readonly Put[]) =>
      each(
        puts,
        ({ item, condition }) =>
          `put ${item.pk} ${item.sk} @${shown(item.version)} ${condition?.type ?? ''}`,
        async (put) => (await store.put([put]))[0] === true,
      ),
    delete: (deletes: readonly Delete[]) =>
      each(
        deletes,
        ({ key }) => `delete ${key.pk} ${key.sk}`,
        async (one) => (await store.delete([one]))[0] === true,
      ),
  };
}

/** A queue as one actor sees it: each message is sent, and each receipt deleted, in a step of its own. */
export function steppedQueue(
  scheduler: Scheduler,
  actor: Actor,
  queue: MessageQueue,
): MessageQueue {
  return {
    async send(messages: readonly OutgoingMessage[]) {
      for (const message of messages) {
        await scheduler.step(actor, `send ${message.body.slice(0, 160)}`);
        await queue.send([message]);
      }
    },
    async receive(options): Promise<readonly ReceivedMessage[]> {
      await scheduler.step(actor, 'receive');
      return queue.receive({ ...options, waitSeconds: 0 });
    },
    async delete(handles) {
      for (const handle of handles) {
        await scheduler.step(actor, 'delete message');
        await queue.delete([handle]);
      }
    },
    async changeVisibility(handles, seconds) {
      await scheduler.step(actor, 'change visibility');
      await queue.changeVisibility(handles, seconds);
    },
  };
}

/** An API server as one actor sees it. */
export function steppedApi(scheduler: Scheduler, actor: Actor, api: ObjectApi): ObjectApi {
  const turn = (verb: string, ref: { resource: string; namespace: string; name: string }) =>
    scheduler.step(actor, `${verb} ${ref.resource} ${ref.namespace}/${ref.name}`);
  return {
    async get(ref) {
      await turn('GET', ref);
      return api.get(ref);
    },
    async create(ref, object) {
      await turn('CREATE', ref);
      return api.create(ref, object);
    },
    async replace(ref, object) {
      await turn('REPLACE', ref);
      return api.replace(ref, object);
    },
    async replaceStatus(ref, change) {
      await turn('STATUS', ref);
      return api.replaceStatus(ref, change);
    },
    async patchLabels(ref, change) {
      await turn('LABELS', ref);
      return api.patchLabels(ref, change);
    },
    async delete(ref, precondition) {
      await turn('DELETE', ref);
      return api.delete(ref, precondition);
    },
  };
}

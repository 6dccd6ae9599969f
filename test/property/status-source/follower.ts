import { WEC_STATUSES } from '#shared/api/wec-statuses.ts';
import type { StatusSelector } from '#shared/core/status-api/selector.ts';
import { wecStatusName } from '#shared/core/status-api/status-name.ts';
import type { WecStatus } from '#shared/core/status-api/wec-status.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { Changed, Scope, StatusSource } from '#shared/ports/status-source.ts';

const READ = { limit: 10_000, readable: () => true };

/** Follows a source as a watch does: it reads what a change affects, and not again until the next change. */
class Follower {
  readonly #source: StatusSource;
  readonly #held = new Map<string, WecStatus>();
  #revision = 0;

  constructor(source: StatusSource) {
    this.#source = source;
  }

  async catchUp(): Promise<void> {
    const changes = await this.#source.changes(this.#revision);
    if (changes === undefined) {
      this.#revision = await this.#source.revision();
      return;
    }
    for (const change of changes.changed) await this.#take(change);
    this.#revision = changes.revision;
  }

  async #take(change: Changed): Promise<void> {
    const affected = WEC_STATUSES.affectedBy(change);
    if (affected?.type === 'one' && change.type === 'wec-status') {
      const status = await this.#source.wecStatus(change.ref);
      const key = this.#keyOf(affected.name.namespace, affected.name.name);
      if (status === undefined) this.#held.delete(key);
      else this.#held.set(key, status);
    }
    if (affected?.type === 'family') await this.#read(affected.selector, affected.family);
    if (affected?.type === 'some') await this.#read(affected.selector, undefined);
  }

  /** What is not found of a family is gone. */
  async #read(selector: StatusSelector, family: string | undefined): Promise<void> {
    for (const key of family === undefined ? [] : [...this.#held.keys()])
      if (key.slice(0, key.lastIndexOf(':')) === family) this.#held.delete(key);
    for (const scope of ['cluster', 'all-namespaces'] as const) {
      const { items } = await this.#source.wecStatuses({ ...READ, scope, selector });
      for (const item of items)
        this.#held.set(this.#keyOf(item.workload.namespace, wecStatusName(item)), item);
    }
  }

  #keyOf(namespace: string, name: string): string {
    return `${namespace}/${name}`;
  }

  names(scope: Scope): readonly string[] {
    const isIn = ({ workload }: WecStatus): boolean =>
      (scope === 'cluster') === (workload.namespace === '');
    return [...this.#held.values()].filter(isIn).map(wecStatusName).sort();
  }
}

/** A store with a follower that catches up before each write, so that it sees every state in between. */
export function following(memory: ItemStore) {
  let follower: Follower | undefined;
  const store: ItemStore = {
    ...memory,
    put: async (puts) => {
      await follower?.catchUp();
      return memory.put(puts);
    },
    delete: async (deletes) => {
      await follower?.catchUp();
      return memory.delete(deletes);
    },
  };
  return {
    store,
    begin: (source: StatusSource): void => {
      follower = new Follower(source);
    },
    /** The names of what it holds at the end, sorted. */
    held: async (scope: Scope): Promise<readonly string[]> => {
      await follower?.catchUp();
      return follower?.names(scope) ?? [];
    },
  };
}

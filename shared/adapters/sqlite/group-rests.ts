import { LRUCache } from 'lru-cache';
import type { OutgoingMessage } from '#shared/ports/message-queue.ts';

const MS_PER_SECOND = 1_000;
/** Beyond them, the group that was received longest ago is forgotten, and has no rest. */
const MAX_GROUPS = 10_000;

/** When the groups of a FIFO queue were last received. Only this process knows it, because only its receivers share a processor. */
export class GroupRests {
  readonly #received = new LRUCache<string, number>({ max: MAX_GROUPS });

  received(group: string, at: number): void {
    this.#received.set(group, at);
  }

  /** When a message can be received, in milliseconds since the epoch; 0 if it can be received now. */
  endOf({ group = '', restSeconds }: OutgoingMessage, now: number): number {
    const at = restSeconds === undefined ? undefined : this.#received.get(group);
    if (at === undefined || restSeconds === undefined) return 0;
    const end = Math.round(at + restSeconds * MS_PER_SECOND);
    // If the clock was set back, the group does not rest for longer than it may.
    return end <= now || at > now ? 0 : end;
  }
}

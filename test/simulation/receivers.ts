import { NO_VERDICT } from '#shared/core/health/verdict.ts';
import { type JsonObject, stringifyJson } from '#shared/core/json.ts';
import { EVENT_TYPES } from '#shared/core/notification/change-event.ts';
import { compileRules, type Rule } from '#shared/core/notification/rules.ts';
import { ReceiverRefusedError, ReceiverUnavailableError } from '#shared/errors.ts';
import type { EventReceiver } from '#shared/ports/event-receiver.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { decodeHead } from '#shared/state/head.ts';
import { SORT } from '#shared/state/keys.ts';
import { readObserved } from '#shared/state/observed.ts';
import type { Actor, Scheduler } from './scheduler.ts';

const TYPES = Object.values(EVENT_TYPES);
/** What the receiver `bad` is notified of. */
export const BAD = 'Healthy';

/** Everything; what is not Healthy; each status once for each topic. */
export const RULES: readonly Rule[] = compileRules([
  { name: 'all', events: TYPES, send: ['all'] },
  { name: 'bad', events: TYPES, condition: `event.data.status != '${BAD}'`, send: ['bad'] },
  { name: 'once', events: TYPES, oncePer: 'event.data.status', send: ['once'] },
]).rules;

const NAMES = ['all', 'bad', 'once'] as const;

/** An event as it was received. */
export interface Received {
  readonly event: JsonObject;
  /** `<type> <source> <subject>`. */
  readonly topic: string;
}

/** Receivers that fail, refuse and accept without saying so. */
export class Receivers {
  readonly received = new Map<string, Received[]>(NAMES.map((name) => [name, []]));
  /** How often each answers wrongly. */
  faults = 0;
  readonly #scheduler: Scheduler;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** The receivers as one process sees them. */
  seenBy(actor: Actor): ReadonlyMap<string, EventReceiver> {
    return new Map(NAMES.map((name) => [name, this.#receiver(name, actor)]));
  }

  #receiver(receiver: string, actor: Actor): EventReceiver {
    const { random } = this.#scheduler;
    return {
      deliver: async (event) => {
        await this.#scheduler.step(actor, `POST ${receiver} ${event['type']} ${event['subject']}`);
        if (random.chance(this.faults)) {
          if (random.chance(0.3)) throw new ReceiverRefusedError(receiver, 'it answers 400');
          throw new ReceiverUnavailableError({ receiver, fault: 'it answers 503' });
        }
        const topic = `${event['type']} ${event['source']} ${event['subject']}`;
        this.received.get(receiver)?.push({ event, topic });
        if (random.chance(this.faults))
          throw new ReceiverUnavailableError({ receiver, fault: 'no answer' });
      },
    };
  }
}

/** The verdicts of each workload object, in the order in which heads with another one than before were stored. */
export class Verdicts {
  /** By partition. The first is the one before the first change that is known. */
  readonly of = new Map<string, string[]>();

  /** The store, with these verdicts noted. */
  noting(store: ItemStore): ItemStore {
    return {
      ...store,
      put: async (puts) => {
        const took = await store.put(puts);
        for (const [index, { item }] of puts.entries())
          if (item.sk === SORT.head && took[index] === true) {
            const [object] = await readObserved(store, [{ pk: item.pk, sk: SORT.object }]);
            this.#note(item.pk, decodeHead(item), object?.found);
          }
        return took;
      },
    };
  }

  /** @param found the verdict that the WDS showed before the state knew the object */
  #note(pk: string, { revision, verdict }: ReturnType<typeof decodeHead>, found?: string): void {
    if (verdict === undefined) return;
    const before = found ?? (revision === 1 ? NO_VERDICT : verdict.status);
    const known = this.of.get(pk) ?? [verdict.status === NO_VERDICT ? NO_VERDICT : before];
    if (known.at(-1) !== verdict.status) known.push(verdict.status);
    this.of.set(pk, known);
  }
}

/** The event with the greatest sequence of each topic. */
export function lastOf(received: readonly Received[]): ReadonlyMap<string, JsonObject> {
  const last = new Map<string, JsonObject>();
  for (const { topic, event } of received)
    if (String(event['sequence']) >= String(last.get(topic)?.['sequence'] ?? ''))
      last.set(topic, event);
  return last;
}

/** The ids of which two different events were received. */
export function ambiguous(receivers: Receivers): readonly string[] {
  const said = new Map<string, string>();
  const twice: string[] = [];
  for (const { event } of [...receivers.received.values()].flat()) {
    const id = String(event['id']);
    const text = stringifyJson(event);
    if ((said.get(id) ?? text) !== text) twice.push(id);
    said.set(id, text);
  }
  return twice;
}

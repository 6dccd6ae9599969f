import fc from 'fast-check';
import { epochAt } from '#shared/core/epoch.ts';
import type { EventContent, EventSource } from '#shared/core/event.ts';
import type { JsonObject } from '#shared/core/json.ts';
import {
  ApiConflictError,
  ApiForbiddenError,
  ApiInvalidError,
  ApiUnavailableError,
} from '#shared/errors.ts';
import { encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { registerSender } from '#shared/state/senders.ts';
import { createMemoryCluster, type MemoryCluster } from '#test/fakes/memory-cluster.ts';
import { HOSTILE_BATCHES } from '#test/hostile/events.ts';
import { fuzzedBody } from '#test/property/events/fuzzed-batches.ts';
import {
  anyVersion,
  HOSTILE_WDS,
  inventedObject,
  wdsObject,
  wecContent,
} from './hostile-statements.ts';
import { Random } from './scheduler.ts';
import { wrapped } from './strangers.ts';
import type { World } from './world.ts';

/** The WEC of the hostile tenants: the one that the corpus of hostile batches speaks for. */
export const HOSTILE_WEC = 'bad';

interface Liar {
  readonly source: EventSource;
  /** Registered for that source, and for no other. */
  readonly principal: string;
}

const WEC_LIAR: Liar = {
  source: { type: 'wec', name: HOSTILE_WEC },
  principal: 'AROA-hostile-wec',
};
const WDS_LIAR: Liar = {
  source: { type: 'wds', name: HOSTILE_WDS },
  principal: 'AROA-hostile-wds',
};
export const LIARS: readonly Liar[] = [WEC_LIAR, WDS_LIAR];

const MAX_FUZZED = 10;
/** How many objects one statement invents. */
const CROWD = 20;
/** Those that take a tenth of a second to read: a history is about what follows from them. */
const SLOW = [
  '990,000 decimals',
  'decimals that are integers',
  'exponents',
  'empty objects',
  '49,000 decimals',
  'a bomb beside the status',
  'a bomb beside the data',
  '100 MB of blanks',
  '3,000,000 events',
];
const CORPUS = HOSTILE_BATCHES.filter(({ what }) => !SLOW.includes(what));
const made = new Map<string, string>();

function corpusBody(random: Random): string {
  const { what, body } = random.pick(CORPUS);
  const text = made.get(what) ?? body();
  made.set(what, text);
  return text;
}

/**
 * The forwarder of a WEC and that of another WDS, which say whatever they like, and the API server of that WDS, which
 * answers whatever it likes. What they do comes from a seed of their own.
 */
export class HostileSources {
  /** The API server of the hostile WDS. */
  readonly api: ObjectApi;
  readonly #random: Random;
  readonly #cluster: MemoryCluster;
  readonly #fuzzed: readonly string[];
  #isAtLarge = true;

  constructor(seed: number) {
    this.#random = new Random(seed);
    let uids = 0;
    this.#cluster = createMemoryCluster(() => {
      uids += 1;
      return `hostile-${uids}`;
    });
    this.api = this.#lying(this.#cluster.api);
    this.#fuzzed = fc.sample(fuzzedBody, { numRuns: MAX_FUZZED, seed });
  }

  /** An operator registers each for its own cluster. */
  async register({ store }: World): Promise<void> {
    for (const { source, principal } of LIARS) await registerSender(store, { source, principal });
  }

  /** They say no more, and the API server answers as one should: else there were no end. */
  stop(): void {
    this.#isAtLarge = false;
  }

  /** They say something. */
  act(world: World): void {
    const random = this.#random;
    const liar = random.pick([WEC_LIAR, WEC_LIAR, WDS_LIAR]);
    if (liar === WDS_LIAR && random.chance(0.3)) this.#change(world);
    const body = this.#body(liar, world);
    const wholly = random.chance(0.1) ? wrapped(random, body, this.#victim(world)) : body;
    const group = random.pick([{}, { group: 'wec/wec1' }, { group: `wec/${HOSTILE_WEC}` }]);
    const copies = random.pick([1, 1, 2, 12]);
    for (let copy = 0; copy < copies; copy += 1) {
      const delaySeconds = random.chance(0.2) ? random.below(900) : 0;
      const message = { body: wholly, delaySeconds, ...group };
      void world.queues.events.sentBy(`${liar.principal}:forwarder`).send([message]);
    }
  }

  #victim({ forwarders }: World): EventSource {
    return this.#random.pick(forwarders).source;
  }

  #body(liar: Liar, world: World): string {
    const random = this.#random;
    if (liar === WEC_LIAR && random.chance(0.2)) return corpusBody(random);
    if (liar === WEC_LIAR && random.chance(0.2)) return random.pick(this.#fuzzed);
    if (liar === WEC_LIAR && random.chance(0.1)) return this.#crowd(world);
    const events = Array.from({ length: 1 + random.below(4) }, () => this.#event(liar, world));
    const text = encodeBatch(events);
    if (random.chance(0.1)) return text.slice(0, random.below(text.length));
    return text;
  }

  /** The hostile WEC reports many objects that nobody has. */
  #crowd(world: World): string {
    const random = this.#random;
    const { now } = world.scheduler;
    const version = { epoch: epochAt(now), sequence: random.below(1_000) };
    const time = new Date(now).toISOString();
    const events = Array.from({ length: CROWD }, () =>
      encodeEvent({
        source: WEC_LIAR.source,
        version,
        time,
        content: inventedObject(random),
      }),
    );
    return encodeBatch(events);
  }

  #event({ source }: Liar, world: World): string {
    const random = this.#random;
    const { now } = world.scheduler;
    const version = anyVersion(random, now);
    const time = new Date(now).toISOString();
    const named = random.chance(0.1) ? this.#victim(world) : source;
    const content = named.type === 'wec' ? wecContent(random, world) : this.#wdsContent(world);
    return encodeEvent({ source: named, version, time, content });
  }

  #wdsContent(world: World): EventContent {
    const random = this.#random;
    const since = anyVersion(random, world.scheduler.now);
    if (random.chance(0.15)) return { type: 'snapshot', since };
    const [{ version: _version, ...subject }, object] = wdsObject(random, world);
    const said = { type: 'wds-object', subject, first: random.chance(0.5) } as const;
    return random.chance(0.15) ? said : { ...said, object };
  }

  /** Something changes in the hostile WDS, of which its forwarder may say something else. */
  #change(world: World): void {
    const [ref, object] = wdsObject(this.#random, world);
    if (this.#random.chance(0.2)) this.#cluster.remove(ref);
    else this.#cluster.apply(ref, object);
  }

  #fault(call: string): Error | undefined {
    if (!this.#isAtLarge || this.#random.chance(0.6)) return undefined;
    return this.#random.pick([
      new ApiUnavailableError(call, 'hostile', { retryAfterSeconds: 1e9 }),
      new ApiConflictError(call, 'hostile'),
      new ApiForbiddenError(call, 'hostile'),
      new ApiInvalidError(call, 'x'.repeat(100_000)),
    ]);
  }

  /** An API server that fails as it likes, and of which objects are not what they should be. */
  #lying(api: ObjectApi): ObjectApi {
    const lied =
      <Args extends readonly unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
      async (...args: Args): Promise<Result> => {
        const fault = this.#fault(call.name);
        if (fault !== undefined) throw fault;
        return call(...args);
      };
    return {
      get: async (ref) => {
        const object = await lied(api.get)(ref);
        const isBroken = this.#isAtLarge && this.#random.chance(0.2);
        return isBroken ? this.#broken() : object;
      },
      create: lied(api.create),
      replace: lied(api.replace),
      replaceStatus: lied(api.replaceStatus),
      patchLabels: lied(api.patchLabels),
      delete: lied(api.delete),
    };
  }

  #broken(): JsonObject {
    return this.#random.pick<JsonObject>([
      {},
      { metadata: 7, status: [] },
      { metadata: { uid: 7, labels: 'none', ownerReferences: {} }, results: 'none' },
      { metadata: { name: 'web', resourceVersion: '1' }, status: { a: 'x'.repeat(100_000) } },
    ]);
  }
}

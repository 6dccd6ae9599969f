import { describe, expect, it } from 'vitest';
import type { SweepStaleDeps } from '#functions/sweep-stale/use-case.ts';
import { isArray, type JsonValue, member } from '#shared/core/json.ts';
import { SILENCE_LIMIT_MS } from '#shared/core/silence.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import { SORT } from '#shared/state/keys.ts';
import { interrupted, Pipeline, WDS, WEB } from './pipeline.ts';

const WECS = ['wec1', 'wec2', 'wec3', 'wec4'];
const CONTROL = { group: 'control.kubestellar.io', version: 'v1alpha1', namespace: '' };

async function speak(pipeline: Pipeline, ...wecs: readonly string[]): Promise<void> {
  const content = { type: 'heartbeat' } as const;
  await pipeline.record(...wecs.map((name) => pipeline.event({ type: 'wec', name }, content)));
}

async function report(pipeline: Pipeline, ...wecs: readonly string[]): Promise<void> {
  const { version: _version, ...subject } = WEB;
  const status = { observedGeneration: 1, replicas: 1 };
  await pipeline.record(
    ...wecs.map((name) => {
      const returned = { uid: `${name}-web`, generation: 1, sourceGeneration: 1, status };
      return pipeline.event(
        { type: 'wec', name },
        { type: 'wec-object', wds: WDS, subject, first: true, returned },
      );
    }),
  );
}

/** A pipeline whose WECs have all reported and speak, and whose collector lists those that are stale. */
async function speaking(unsharded?: number): Promise<Pipeline> {
  const pipeline = new Pipeline(unsharded);
  await pipeline.listWds();
  await pipeline.apply(
    { ...CONTROL, resource: 'statuscollectors', name: 'stale' },
    {
      kind: 'StatusCollector',
      metadata: { name: 'stale' },
      spec: { filter: 'propagation.stale', select: [{ name: 'wec', def: 'inventory.name' }] },
    },
  );
  await pipeline.begin(WECS);
  await pipeline.bind(WECS, { statusCollectors: ['stale'] });
  await report(pipeline, ...WECS);
  await speak(pipeline, ...WECS);
  await pipeline.settle();
  return pipeline;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isArray(value) ? value : [];
}

/** Names of the WECs that the WDS calls stale. */
function stale(pipeline: Pipeline): readonly (JsonValue | undefined)[] {
  const found = pipeline.wds.objects().find(({ ref }) => ref.resource === 'combinedstatuses');
  return listOf(found?.object['results'])
    .flatMap((result) => listOf(member(result, 'rows')))
    .flatMap((row) => listOf(member(row, 'columns')))
    .map((column) => member(column, 'string'));
}

/** The others speak again after so long that a WEC that does not is silent. */
async function fallSilent(pipeline: Pipeline, ...wecs: readonly string[]): Promise<void> {
  pipeline.now += SILENCE_LIMIT_MS + 1;
  await speak(pipeline, ...WECS.filter((wec) => !wecs.includes(wec)));
}

async function sweepAndSettle(pipeline: Pipeline): Promise<void> {
  await pipeline.sweep();
  await pipeline.settle();
}

/** A store and a queue that let something else happen before one of the calls to them, and count the calls. */
class Moments {
  calls = 0;
  readonly #before: number;
  readonly #happening: () => Promise<void>;

  constructor(before: number, happening: () => Promise<void>) {
    this.#before = before;
    this.#happening = happening;
  }

  async #call<T>(run: () => Promise<T>): Promise<T> {
    this.calls += 1;
    if (this.calls === this.#before) await this.#happening();
    return run();
  }

  store(store: ItemStore): ItemStore {
    return {
      get: (keys) => this.#call(() => store.get(keys)),
      query: (query) => this.#call(() => store.query(query)),
      put: (puts) => this.#call(() => store.put(puts)),
      delete: (deletes) => this.#call(() => store.delete(deletes)),
    };
  }

  queue(queue: MessageSender): MessageSender {
    return { ...queue, send: (messages) => this.#call(() => queue.send(messages)) };
  }

  sweep(deps: SweepStaleDeps): SweepStaleDeps {
    return { ...deps, store: this.store(deps.store), dirty: this.queue(deps.dirty) };
  }
}

/** Something that happens to a pipeline between any two calls of what is tried. */
type Happening = (pipeline: Pipeline) => Promise<void>;

const die: Happening = () => Promise.reject(new Error('killed'));

/**
 * Tries something with a happening before its first call, its second and so on, each time on a pipeline of its own, and
 * lets a later sweep follow; the WECs that then are called stale, of each try.
 */
async function everyMoment(
  begin: () => Promise<Pipeline>,
  happening: Happening,
  run: (pipeline: Pipeline, moments: Moments) => Promise<void>,
): Promise<readonly (readonly (JsonValue | undefined)[])[]> {
  const ends: (readonly (JsonValue | undefined)[])[] = [];
  for (let before = 1; ; before += 1) {
    const pipeline = await begin();
    let hasHappened = false;
    const moments = new Moments(before, () => {
      hasHappened = true;
      return happening(pipeline);
    });
    const killed = await run(pipeline, moments).then(
      () => false,
      () => true,
    );
    expect(killed).toBe(hasHappened && happening === die);
    await pipeline.settle();
    await sweepAndSettle(pipeline);
    if (!hasHappened) return ends;
    ends.push(stale(pipeline));
  }
}

const sweep = (pipeline: Pipeline, moments: Moments): Promise<void> =>
  pipeline.sweep((deps) => moments.sweep(deps));

/** A sweep that stores what it finds and dies before it tells. */
const dyingSweep: Happening = (pipeline) =>
  pipeline
    .sweep((deps) => ({ ...deps, dirty: { ...deps.dirty, send: () => die(pipeline) } }))
    .catch(() => undefined);

async function withTwoSilent(): Promise<Pipeline> {
  const pipeline = await speaking();
  await fallSilent(pipeline, 'wec1', 'wec2');
  return pipeline;
}

/** Two WECs were silent and have just spoken, another one has fallen silent. */
async function withTwoSpeaking(): Promise<Pipeline> {
  const pipeline = await withTwoSilent();
  await sweepAndSettle(pipeline);
  expect(stale(pipeline)).toEqual(['wec1', 'wec2']);
  await fallSilent(pipeline, 'wec3');
  return pipeline;
}

const BEGINNINGS = [
  ['begins', withTwoSilent, ['wec1', 'wec2']],
  ['ends', withTwoSpeaking, ['wec3']],
] as const;

describe.each(BEGINNINGS)('a sweep when silence %s', (_what, begin, expected) => {
  it.each<[string, Happening]>([
    ['dies', die],
    ['is overtaken by another one', (pipeline) => pipeline.sweep()],
    ['is overtaken by another one and what it told', sweepAndSettle],
    ['is overtaken by one that dies', dyingSweep],
  ])('that %s between any two calls leaves nothing to a later one', async (_how, happening) => {
    const ends = await everyMoment(begin, happening, sweep);
    expect(ends.length).toBeGreaterThan(5);
    for (const end of ends) expect(end).toEqual(expected);
  });

  it('that is slow does not undo what others have found since', async () => {
    const others: Happening = async (pipeline) => {
      await fallSilent(pipeline, 'wec2', 'wec4');
      await sweepAndSettle(pipeline);
    };
    const ends = await everyMoment(begin, others, sweep);
    for (const end of ends) expect(end).toEqual(['wec2', 'wec4']);
  });
});

it('a sweep that is slow does not take a later silence for told', async () => {
  const again: Happening = async (pipeline) => {
    await fallSilent(pipeline);
    await sweepAndSettle(pipeline);
    await fallSilent(pipeline, 'wec1', 'wec2');
    await dyingSweep(pipeline);
  };
  const ends = await everyMoment(withTwoSilent, again, sweep);
  for (const end of ends) expect(end).toEqual(['wec1', 'wec2']);
});

describe('an aggregation that silence overtakes', () => {
  const aggregate = async (pipeline: Pipeline, moments: Moments): Promise<void> => {
    await report(pipeline, 'wec4');
    const store = moments.store(pipeline.store);
    for (const message of pipeline.takeDirty()) await pipeline.aggregate(message, store);
  };
  const handled: Happening = async (pipeline) => {
    await pipeline.sweep();
    // The row is told of already; what is dirty now is dirty for the silence.
    for (const message of pipeline.takeDirty()) await pipeline.aggregate(message);
  };

  it.each([
    ['from its rows', undefined],
    ['in shards', 1],
  ])('between any two calls, folding %s, knows it in the end', async (_how, unsharded) => {
    const begin = async (): Promise<Pipeline> => {
      const pipeline = await speaking(unsharded);
      await fallSilent(pipeline, 'wec1');
      return pipeline;
    };
    const ends = await everyMoment(begin, handled, aggregate);
    expect(ends.length).toBeGreaterThan(5);
    for (const end of ends) expect(end).toEqual(['wec1']);
  });

  it('and that dies leaves no part from before the silence to a later one', async () => {
    const begin = async (): Promise<Pipeline> => {
      const pipeline = await speaking(1);
      await fallSilent(pipeline, 'wec1');
      return pipeline;
    };
    const ends = await everyMoment(begin, handled, async (pipeline, moments) => {
      await report(pipeline, 'wec4');
      const [message] = pipeline.takeDirty();
      if (message === undefined) throw new Error('nothing is dirty');
      const head = { call: 'put', sk: SORT.head, when: 'before' } as const;
      const dying = interrupted(pipeline.store, head, () => Promise.reject(new Error('killed')));
      await pipeline.aggregate(message, moments.store(dying)).catch(() => undefined);
      for (const wec of WECS.slice(1)) {
        await report(pipeline, wec);
        await pipeline.settle();
      }
    });
    expect(ends.length).toBeGreaterThan(5);
    for (const end of ends) expect(end).toEqual(['wec1']);
  });
});

it('a WEC that falls silent again and again is reported each time', async () => {
  const pipeline = await speaking();
  for (let round = 0; round < 3; round += 1) {
    await fallSilent(pipeline, 'wec2');
    await sweepAndSettle(pipeline);
    expect(stale(pipeline)).toEqual(['wec2']);
    await speak(pipeline, 'wec2');
    await sweepAndSettle(pipeline);
    expect(stale(pipeline)).toEqual([]);
  }
});

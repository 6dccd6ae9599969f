import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ArgoCdStatus } from '#shared/core/health/verdict.ts';
import { at, type JsonValue } from '#shared/core/json.ts';
import { counts } from '#test/fixtures/wec-rows.ts';
import { histories } from '#test/histories.ts';
import { AskedApi, ROOT, status, type Watching } from '#test/unit/api/ask.ts';

const NAMESPACES = ['bank', 'shop'] as const;
const OBJECTS = ['api', 'web'] as const;
const WECS = ['east', 'north', 'west'] as const;
const HEALTHS = ['Healthy', 'Degraded'] as const satisfies readonly ArgoCdStatus[];

type Step =
  | {
      readonly type: 'put';
      readonly at: readonly [string, string, string];
      readonly health: ArgoCdStatus;
    }
  | {
      readonly type: 'bind';
      readonly at: readonly [string, string];
      readonly wecs: readonly string[];
      readonly health: ArgoCdStatus;
    }
  | { readonly type: 'wec'; readonly wec: string; readonly health: ArgoCdStatus }
  | { readonly type: 'forget' }
  /** The client reads for a moment, or its connection ends. */
  | { readonly type: 'settle' | 'cut' };

const health = fc.constantFrom(...HEALTHS);
const place = fc.tuple(fc.constantFrom(...NAMESPACES), fc.constantFrom(...OBJECTS));
const put: fc.Arbitrary<Step> = fc.record({
  type: fc.constant('put' as const),
  at: fc.tuple(
    fc.constantFrom(...NAMESPACES),
    fc.constantFrom(...OBJECTS),
    fc.constantFrom(...WECS),
  ),
  health,
});
const bind: fc.Arbitrary<Step> = fc.record({
  type: fc.constant('bind' as const),
  at: place,
  wecs: fc.subarray([...WECS]),
  health,
});
const wec: fc.Arbitrary<Step> = fc.record({
  type: fc.constant('wec' as const),
  wec: fc.constantFrom(...WECS),
  health,
});
/** Changes that never make a client list again. */
const change = fc.oneof({ weight: 4, arbitrary: put }, { weight: 1, arbitrary: wec });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: change },
  { weight: 2, arbitrary: bind },
  { weight: 3, arbitrary: fc.constantFrom<Step>({ type: 'settle' }, { type: 'cut' }) },
);
/** With everything that makes a client list again: changes are forgotten, or a Binding is changed while it is away. */
const harshStep = fc.oneof(
  { weight: 9, arbitrary: step },
  { weight: 1, arbitrary: fc.constant<Step>({ type: 'forget' }) },
);

function named(namespace: string, name: string) {
  return { group: 'apps', resource: 'deployments', namespace, name };
}

/** What a WEC says of a Deployment that is well, or not. */
function saying(said: ArgoCdStatus) {
  const available = said === 'Healthy' ? 3 : 1;
  const status = { ...counts(3, [3, available, available]), observedGeneration: 7 };
  return { health: { status: said }, status };
}

function play({ source }: AskedApi, one: Step): void {
  if (one.type === 'put') {
    const [namespace, name, wec] = one.at;
    source.put(status(named(namespace, name), wec, saying(one.health)));
  } else if (one.type === 'bind') {
    const workload = named(...one.at);
    source.bind(
      workload,
      one.wecs.map((wec) => status(workload, wec, saying(one.health))),
    );
  } else if (one.type === 'wec')
    source.putWec({ name: one.wec, ownLabels: {} }, (said) => ({ ...said, ...saying(one.health) }));
  else if (one.type === 'forget') source.forget();
}

/** What a client sees of an object, without the revision at which it was read. */
function shownOf(object: JsonValue | undefined): string {
  return JSON.stringify(object, (key, value) => (key === 'resourceVersion' ? undefined : value));
}

function keyOf(object: JsonValue | undefined): string {
  return `${String(at(object, 'metadata', 'namespace'))}/${String(at(object, 'metadata', 'name'))}`;
}

/** What a client keeps, as an informer does: it lists, then watches, and lists again after 410. */
class Informer {
  readonly #asked: AskedApi;
  readonly #query: string;
  readonly #path: string;
  objects = new Map<string, string>();
  readonly faults: string[] = [];
  #revision: unknown;
  #watch: Watching | undefined;
  #reading: Promise<void> | undefined;

  constructor(asked: AskedApi, path: string, query: string) {
    this.#asked = asked;
    this.#path = path;
    this.#query = query;
  }

  async list(): Promise<void> {
    const { body } = await this.#asked.ask(`${this.#path}?${this.#query}`);
    const items = at(body, 'items') as readonly JsonValue[];
    this.objects = new Map(items.map((item) => [keyOf(item), shownOf(item)]));
    this.#revision = at(body, 'metadata', 'resourceVersion');
  }

  async watch(): Promise<void> {
    this.#watch = await this.#asked.watch(
      `${this.#path}?watch=true&resourceVersion=${String(this.#revision)}&${this.#query}`,
    );
    if (this.#watch.code !== 200) this.faults.push(`watch ${this.#watch.code}`);
    this.#reading = this.#read(this.#watch);
  }

  async #read(watch: Watching): Promise<void> {
    for (let event = await watch.next(); event !== undefined; event = await watch.next())
      this.#take(String(event['type']), event['object']);
  }

  #take(type: string, object: JsonValue | undefined): void {
    const key = keyOf(object);
    if (type === 'ERROR') {
      if (at(object, 'code') !== 410) this.faults.push(`ERROR ${String(at(object, 'message'))}`);
      this.#revision = undefined;
      return;
    }
    if (type === 'MODIFIED' && !this.objects.has(key)) this.faults.push(`MODIFIED unknown ${key}`);
    if (type === 'DELETED') this.objects.delete(key);
    else this.objects.set(key, shownOf(object));
    this.#revision = at(object, 'metadata', 'resourceVersion');
  }

  /** Whether the client was told to list again. */
  get mustList(): boolean {
    return this.#revision === undefined;
  }

  /** The connection ends, and the client begins again where it was. */
  async again(): Promise<void> {
    const ends = this.#watch?.leave();
    await this.#reading;
    await ends;
    if (this.#revision === undefined) await this.list();
    await this.watch();
  }

  async end(): Promise<void> {
    const ends = this.#watch?.leave();
    await this.#reading;
    await ends;
  }
}

/** One step of a history: of the WDS, or of the client. */
async function perform(asked: AskedApi, informer: Informer, one: Step): Promise<void> {
  if (one.type === 'cut') await informer.again();
  else if (one.type === 'settle') await asked.settled();
  else play(asked, one);
}

/** What a client has after a history, and what a list then says. */
async function outcome(
  { before, missed, later }: Readonly<Record<'before' | 'missed' | 'later', readonly Step[]>>,
  [where, query]: readonly [string, string],
) {
  const asked = new AskedApi({ paceMs: 0 });
  for (const one of before) play(asked, one);
  const informer = new Informer(asked, where, query);
  await informer.list();
  for (const one of missed) play(asked, one);
  await informer.watch();
  for (const one of later) await perform(asked, informer, one);
  await asked.settled();
  if (informer.mustList) await informer.again();
  await asked.settled();
  const fresh = new Informer(asked, where, query);
  await fresh.list();
  await informer.end();
  return { informer, fresh, errors: asked.errors };
}

const before = fc.array(fc.oneof(put, bind), { maxLength: 25 });
const history = fc.oneof(
  fc.record({
    before,
    missed: fc.array(change, { maxLength: 4 }),
    later: fc.array(step, { maxLength: 12 }),
  }),
  fc.record({
    before,
    missed: fc.array(harshStep, { maxLength: 4 }),
    later: fc.array(harshStep, { maxLength: 25 }),
  }),
);

describe('a client that lists and watches', () => {
  it.each([
    [
      'wecstatuses',
      [
        '',
        'fieldSelector=health=Degraded',
        'labelSelector=app=web',
        'fieldSelector=health!=Degraded,wec=east',
      ],
    ],
    [
      'explanations',
      [
        '',
        'fieldSelector=health=Progressing',
        'labelSelector=app=web',
        'fieldSelector=health!=Progressing,action=Aggregate',
      ],
    ],
  ])(
    'has in the end the %s that a list has, whatever changes and whenever its connection ends',
    async (resource, selections) => {
      const selection = fc.constantFrom(...selections);
      const path = fc.constantFrom(`${ROOT}/${resource}`, `${ROOT}/namespaces/shop/${resource}`);
      await fc.assert(
        fc.asyncProperty(history, fc.tuple(path, selection), async (played, request) => {
          const { informer, fresh, errors } = await outcome(played, request);
          expect(informer.faults).toEqual([]);
          expect([...informer.objects].sort()).toEqual([...fresh.objects].sort());
          expect(errors).toEqual([]);
        }),
        { numRuns: histories({ first: 40, all: 150 }) },
      );
    },
  );
});

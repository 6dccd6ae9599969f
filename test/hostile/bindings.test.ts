import { describe, expect, it } from 'vitest';
import { evaluate } from '#local/cli/eval/evaluate.ts';
import { readWdsInput } from '#local/cli/input/wds-input.ts';
import { createBuiltInSchemas } from '#shared/adapters/kubernetes/built-in-schemas.ts';
import { at, isArray, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { MAX_OBJECT_BINDINGS } from '#shared/core/limits.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { RANGE, sortableNumber } from '#shared/state/keys.ts';
import { createDestinationStore } from '#shared/state/membership.ts';
import { jsonBody } from '#test/fakes/item-body.ts';
import { Pipeline as Fakes } from '#test/fakes/pipeline.ts';
import { Pipeline, WDS, WEB, WEB_SUBJECT } from '#test/unit/protocol/pipeline.ts';
import {
  combinedStatuses,
  control,
  workloadOf,
} from '#test/unit/write-results/pipeline-objects.ts';

const PK = subjectPartition(WEB_SUBJECT);
const CONTROL = 'control.kubestellar.io/v1alpha1';
const SUM: JsonObject = {
  apiVersion: CONTROL,
  kind: 'StatusCollector',
  metadata: { name: 'sum' },
  spec: { combinedFields: [{ name: 'n', type: 'SUM', subject: 'returned.status.readyReplicas' }] },
};
const DEPLOYMENT: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { replicas: 9 },
};
const YEARS = { older: 2025, newer: 2026 } as const;

function binding(name: string, year: number): JsonObject {
  return {
    apiVersion: CONTROL,
    kind: 'Binding',
    metadata: { name, creationTimestamp: `${year}-01-01T00:00:00Z` },
    spec: {
      destinations: [{ clusterId: 'wec1' }],
      workload: { namespaceScope: [{ ...WEB, statusCollectors: ['sum'] }] },
    },
  };
}

/** What the pages of so many Bindings of a hostile user would have stored below the Deployment. */
async function crowd(store: ItemStore, count: number, when: keyof typeof YEARS): Promise<void> {
  const destinations = createDestinationStore(store);
  for (let index = 0; index < count; index += 1) {
    const name = `hostile-${when}-${index}`;
    const pk = subjectPartition({ type: 'binding', wds: WDS, name });
    const list = await destinations.put(pk, ['wec1'], { before: undefined, revision: 1 });
    const membership = {
      binding: name,
      bindingUid: name,
      created: `${YEARS[when]}-01-01T00:00:00Z`,
      version: 'v1',
      modulation: {
        statusCollectors: ['sum'],
        wantSingletonReportedState: false,
        wantMultiWECReportedState: false,
      },
      destinations: { ...list },
      collectorVersions: [''],
    };
    const key = { pk: PK, sk: `${RANGE.membership}${name}`, version: sortableNumber(1) };
    await store.put([{ item: { ...key, body: jsonBody(membership) } }]);
  }
}

/** What a store has been asked for. */
interface Counted {
  readonly items: number;
  readonly memberships: number;
  readonly written: number;
}

function counting(store: ItemStore): {
  readonly store: ItemStore;
  readonly counted: () => Counted;
} {
  let [items, memberships, written] = [0, 0, 0];
  return {
    counted: () => ({ items, memberships, written }),
    store: {
      get: (keys) => {
        items += keys.length;
        return store.get(keys);
      },
      query: async (query) => {
        const page = await store.query(query);
        const isOfCrowd = query.from === RANGE.membership || query.from === RANGE.errorNote;
        if (isOfCrowd) memberships += page.items.length;
        else items += page.items.length;
        return page;
      },
      put: (puts) => {
        written += puts.length;
        return store.put(puts);
      },
      delete: (deletes) => {
        written += deletes.length;
        return store.delete(deletes);
      },
    },
  };
}

function resultsOf(combined: JsonObject | undefined): readonly JsonValue[] {
  const results = combined?.['results'];
  return isArray(results) ? results : [];
}

/** An honest Binding, the oldest, with those of a hostile user beside it; then a WEC says something. */
async function world(older: number, newer: number) {
  const pipeline = new Pipeline();
  await pipeline.listWds();
  await pipeline.apply(WEB, DEPLOYMENT);
  await pipeline.apply(control('statuscollectors', 'sum') as typeof WEB, SUM);
  await pipeline.apply(control('bindings', 'zz-honest') as typeof WEB, binding('zz-honest', 2024));
  await pipeline.record(pipeline.said('wec1', 1));
  await pipeline.settle();
  await crowd(pipeline.store, older, 'older');
  await crowd(pipeline.store, newer, 'newer');
  const told = counting(pipeline.store);
  await pipeline.aggregate({ type: 'subject', subject: WEB_SUBJECT }, told.store);
  const refused = pipeline.takeDirty().length;
  await pipeline.record(pipeline.said('wec1', 2));
  const [message] = pipeline.takeDirty();
  if (message === undefined) throw new Error('nothing is dirty');
  const aggregated = counting(pipeline.store);
  await pipeline.aggregate(message, aggregated.store);
  for (const other of pipeline.takeDirty()) throw new Error(`told again: ${JSON.stringify(other)}`);
  const [hint] = pipeline.takeHints();
  if (hint === undefined) throw new Error('there is nothing to write');
  const wrote = counting(pipeline.store);
  await pipeline.write(hint, wrote.store);
  const standing = pipeline.wds
    .objects()
    .filter(({ ref }) => ref.resource === 'combinedstatuses')
    .map(({ object }) => object);
  const honest = standing.find((one) => String(at(one, 'metadata', 'name')).endsWith('uid-3'));
  return {
    refused,
    first: told.counted(),
    aggregated: aggregated.counted(),
    wrote: wrote.counted(),
    standing: standing.length,
    honest: resultsOf(honest),
  };
}

describe('3,000 Bindings of a hostile user on an object', () => {
  it('cost the object no more than those that count, and take nothing from an older one', async () => {
    const alone = await world(0, 0);
    const full = await world(MAX_OBJECT_BINDINGS - 1, 0);
    const crowded = await world(MAX_OBJECT_BINDINGS - 1, 3000);
    expect(alone.honest).toHaveLength(1);
    expect(full.honest).toEqual(alone.honest);
    expect(crowded.honest).toEqual(alone.honest);
    expect(crowded.standing).toBe(MAX_OBJECT_BINDINGS);
    expect(crowded.aggregated).toEqual({
      ...full.aggregated,
      // Each of them, and the note of what it has been told.
      memberships: full.aggregated.memberships + 2 * 3000,
    });
    expect(crowded.wrote).toEqual(full.wrote);
  });

  it('are each told once, in work that grows with their number alone', async () => {
    const [some, many] = [await world(0, 563), await world(0, 3063)];
    expect([some.refused, many.refused]).toEqual([500, 3000]);
    expect(many.first.written - some.first.written).toBe(4 * 2500);
    expect(many.first.items - some.first.items).toBeLessThan(2 * 2500);
  });
});

describe('more Bindings than count for an object, of the same second', () => {
  const EXTRA = 6;
  const NAMES = Array.from({ length: MAX_OBJECT_BINDINGS + EXTRA }, (_one, index) => `b${index}`);

  async function begin(): Promise<Fakes> {
    const pipeline = new Fakes();
    pipeline.snapshot();
    pipeline.wds.apply(WEB, DEPLOYMENT);
    pipeline.wds.apply(control('statuscollectors', 'sum'), SUM);
    for (const name of NAMES) pipeline.wds.apply(control('bindings', name), binding(name, 2026));
    pipeline.tell('wec1', workloadOf(WEB), { uid: 'u', generation: 1, status: {} });
    await pipeline.settle();
    return pipeline;
  }

  function errorsIn(objects: readonly JsonObject[]): ReadonlyMap<string, JsonValue> {
    return new Map(
      objects
        .filter(({ kind }) => kind === 'Binding')
        .map((object) => [
          String(at(object, 'metadata', 'name')),
          at(object, 'status', 'errors') ?? [],
        ]),
    );
  }

  function standing(pipeline: Fakes): readonly JsonObject[] {
    return pipeline.wds.objects().map(({ object }) => object);
  }

  function refusedIn(pipeline: Fakes): readonly string[] {
    return [...errorsIn(standing(pipeline))].flatMap(([name, errors]) =>
      JSON.stringify(errors).includes('the 64 oldest') ? [name] : [],
    );
  }

  /** What `starfold eval` makes of the WDS from nothing. */
  async function evaluated(pipeline: Fakes): Promise<readonly JsonObject[]> {
    const values = standing(pipeline).filter(({ kind }) => kind !== 'CombinedStatus');
    const documents = values.map((value, index) => ({ number: index + 1, value }));
    const input = readWdsInput([{ file: 'wds.yaml', documents }], () => undefined);
    const { objects } = await evaluate({
      input,
      reports: new Map(),
      downstream: new Map(),
      schemas: createBuiltInSchemas(),
      wds: WDS,
      nowMs: 0,
    });
    return objects;
  }

  it('say so in their status, and starfold eval finds the same', async () => {
    const pipeline = await begin();
    expect(refusedIn(pipeline)).toHaveLength(EXTRA);
    expect(combinedStatuses(pipeline)).toHaveLength(MAX_OBJECT_BINDINGS);
    const fresh = await evaluated(pipeline);
    expect(errorsIn(fresh)).toEqual(errorsIn(standing(pipeline)));
    const nameOf = (object: JsonObject): unknown => at(object, 'metadata', 'name');
    expect(
      fresh
        .filter(({ kind }) => kind === 'CombinedStatus')
        .map(nameOf)
        .sort(),
    ).toEqual(combinedStatuses(pipeline).map(nameOf).sort());
    expect(pipeline.failures).toEqual([]);
  });

  it('take the place of older ones that go', async () => {
    const pipeline = await begin();
    const refused = refusedIn(pipeline);
    const older = NAMES.filter((name) => !refused.includes(name)).slice(0, 2);
    for (const name of older) pipeline.wds.remove(control('bindings', name));
    await pipeline.settle();
    expect(refusedIn(pipeline)).toHaveLength(EXTRA - older.length);
    expect(combinedStatuses(pipeline)).toHaveLength(MAX_OBJECT_BINDINGS);
    expect(errorsIn(await evaluated(pipeline))).toEqual(errorsIn(standing(pipeline)));
    expect(pipeline.failures).toEqual([]);
  });
});

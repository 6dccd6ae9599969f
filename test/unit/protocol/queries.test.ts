import { describe, expect, it } from 'vitest';
import { StatusApi } from '#shared/api/api.ts';
import { OPEN_WDS } from '#shared/api/open-wds.ts';
import {
  at,
  isArray,
  type JsonObject,
  type JsonValue,
  parseJson,
  stringifyJson,
} from '#shared/core/json.ts';
import { SILENCE_LIMIT_MS } from '#shared/core/silence.ts';
import { createStatusSource } from '#shared/state/status-source/status-source.ts';
import { ALICE, jsonBody, ROOT } from '#test/unit/api/ask.ts';
import { Pipeline, WDS, WEB } from './pipeline.ts';

/** WECs whose names have an order, in the API and in a CombinedStatus, that is not that of the hashes of their rows. */
const WECS = ['a', 'b', 'c', 'd', 'e', 'f'];
const CONTROL = { group: 'control.kubestellar.io', version: 'v1alpha1', namespace: '' };
const { version: _version, ...SUBJECT } = WEB;

/** An expression for all that a collector may know of a WEC. */
const COLUMNS: Readonly<Record<string, string>> = {
  wec: 'inventory.name',
  region: '"region" in inventory.labels ? inventory.labels.region : "none"',
  note: '"note" in inventory.annotations ? inventory.annotations.note : "none"',
  object: 'obj.metadata.name',
  wanted: 'obj.spec.replicas',
  status: 'returned.status',
  spec: 'has(returned.spec) ? returned.spec.replicas : -1',
  generation: 'has(returned.metadata) ? returned.metadata.generation : -1',
  applied: 'has(propagation.generation) ? propagation.generation : -1',
  updated: 'propagation.lastReturnedUpdateTimestamp',
  stale: 'propagation.stale',
  silent: 'propagation.silent',
  contact: 'has(propagation.lastContact) ? string(propagation.lastContact) : "speaks"',
  wrong: 'returned.status.none',
};
const SELECT: JsonObject = {
  select: Object.entries(COLUMNS).map(([name, def]) => ({ name, def })),
};
const GROUPS: JsonObject = {
  filter: 'has(returned.status.readyReplicas)',
  groupBy: [
    { name: 'silent', def: 'propagation.silent' },
    { name: 'region', def: COLUMNS['region'] ?? '' },
  ],
  combinedFields: [
    { name: 'count', type: 'COUNT' },
    { name: 'mean', type: 'AVG', subject: 'returned.status.readyReplicas' },
  ],
};

function reported(pipeline: Pipeline, wec: string, more: JsonObject) {
  const returned = { uid: `${wec}-uid`, generation: 2, ...more };
  return pipeline.event(
    { type: 'wec', name: wec },
    { type: 'wec-object', wds: WDS, subject: SUBJECT, first: true, returned },
  );
}

async function speak(pipeline: Pipeline, ...wecs: readonly string[]): Promise<void> {
  const content = { type: 'heartbeat' } as const;
  const sources = wecs.map((name) => pipeline.event({ type: 'wec', name }, content));
  await pipeline.record(pipeline.event({ type: 'wds', name: WDS }, content), ...sources);
}

async function sweepAndSettle(pipeline: Pipeline): Promise<void> {
  await pipeline.settle();
  await pipeline.sweep();
  await pipeline.settle();
}

/**
 * A Deployment with two collectors in six WECs: current, behind, without an object, with one that is gone, silent, and with labels.
 *
 * @param annotations of the Deployment
 */
async function world(annotations: JsonObject, unsharded?: number): Promise<Pipeline> {
  const pipeline = new Pipeline(unsharded);
  pipeline.now = Date.parse('2026-11-25T10:00:00Z');
  await pipeline.listWds();
  for (const [name, spec] of Object.entries({ rows: SELECT, groups: GROUPS })) {
    const ref = { ...CONTROL, resource: 'statuscollectors', name };
    await pipeline.apply(ref, { kind: 'StatusCollector', metadata: { name }, spec });
  }
  await pipeline.apply(WEB, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', generation: 3, annotations },
    spec: { replicas: 9 },
  });
  await pipeline.bind(WECS, { statusCollectors: ['groups', 'rows'] });
  const current = { status: { observedGeneration: 2, readyReplicas: 9 } };
  await pipeline.record(
    reported(pipeline, 'a', { sourceGeneration: 3, spec: { replicas: 9 }, ...current }),
    reported(pipeline, 'b', { sourceGeneration: 2, spec: { replicas: 4 }, ...current }),
    reported(pipeline, 'd', current),
    pipeline.event(
      { type: 'wec', name: 'd' },
      { type: 'wec-object', wds: WDS, subject: SUBJECT, first: false },
    ),
    reported(pipeline, 'e', { lastUpdate: '2026-11-25T09:00:00Z', status: { readyReplicas: 1 } }),
    reported(pipeline, 'f', { status: { readyReplicas: 2 } }),
  );
  const inventory = { labels: { region: 'eu' }, annotations: { note: 'here' } };
  await pipeline.record(
    pipeline.event({ type: 'wec', name: 'f' }, { type: 'inventory', inventory }),
  );
  await speak(pipeline, ...WECS);
  // The object's own time is known to the sweep once the object was aggregated.
  await sweepAndSettle(pipeline);
  pipeline.now += 2 * SILENCE_LIMIT_MS + 1;
  await speak(pipeline, ...WECS.filter((wec) => wec !== 'e'));
  await sweepAndSettle(pipeline);
  return pipeline;
}

async function query(pipeline: Pipeline, spec: JsonObject): Promise<JsonValue> {
  const { store } = pipeline;
  const source = createStatusSource({ store, wds: WDS, clock: () => pipeline.now });
  const api = new StatusApi({
    ...{ source, wds: OPEN_WDS, watch: false },
    now: () => pipeline.now,
    onError: (error) => {
      throw error;
    },
  });
  const { code, body } = await api.handle({
    method: 'POST',
    path: `${ROOT}/namespaces/shop/statusqueries`,
    query: new URLSearchParams(),
    accept: '',
    authenticate: async () => ALICE,
    body: jsonBody(stringifyJson({ spec })),
    signal: new AbortController().signal,
  });
  expect(code).toBe(201);
  let text = '';
  for await (const piece of body) text += piece;
  return at(parseJson(text), 'status') ?? null;
}

function list(value: JsonValue | undefined): readonly JsonValue[] {
  return isArray(value) ? value : [];
}

/** What the CombinedStatus in the WDS has of a collector. */
function combined(pipeline: Pipeline, name: string): JsonValue {
  const found = pipeline.wds.objects().find(({ ref }) => ref.resource === 'combinedstatuses');
  return list(found?.object['results']).find((one) => at(one, 'name') === name) ?? null;
}

function columnsOf(result: JsonValue): readonly JsonValue[] {
  return list(at(result, 'rows')).map((row) => at(row, 'columns') ?? null);
}

describe.each([
  ['one shard', undefined, {}],
  ['several shards', 2, {}],
  [
    'one shard, where a silent WEC counts as one that has not reported',
    128,
    {
      'starfold.dev/silent-after': '10m',
    },
  ],
])('a query about an object in %s', (...[, unsharded, annotations]) => {
  it('has the rows and the errors of the CombinedStatus with the same expressions', async () => {
    const pipeline = await world(annotations, unsharded);
    const answer = await query(pipeline, SELECT);
    const result = combined(pipeline, 'rows');
    expect(columnsOf(answer)).toEqual(columnsOf(result));
    expect(columnsOf(answer)).toHaveLength(WECS.length);
    expect(
      list(at(answer, 'errors')).map((error) => [at(error, 'wec'), at(error, 'error')]),
    ).toEqual(
      list(at(result, 'rowErrors')).map((error) => [
        at(error, 'wec', 'clusterId'),
        at(error, 'error'),
      ]),
    );
    const names = Object.keys(COLUMNS);
    const of = (wec: string, column: string) =>
      list(columnsOf(answer)[WECS.indexOf(wec)])[names.indexOf(column)];
    expect(of('f', 'region')).toMatchObject({ string: 'eu' });
    expect(of('e', 'silent')).toMatchObject({ bool: true });
    expect(of('e', 'contact')).toMatchObject({ string: '2026-11-25T10:00:00Z' });
    expect(of('b', 'spec')).toMatchObject({ float: '4' });
    const unheard = 'starfold.dev/silent-after' in annotations;
    expect(of('e', 'status')).toMatchObject({ object: unheard ? {} : { readyReplicas: 1 } });
    expect(stringifyJson(of('e', 'status')).includes('readyReplicas')).toBe(!unheard);
  });

  it('has its groups', async () => {
    const pipeline = await world(annotations, unsharded);
    const answer = await query(pipeline, GROUPS);
    expect(columnsOf(answer)).toEqual(columnsOf(combined(pipeline, 'groups')));
    expect(columnsOf(answer).length).toBeGreaterThan(1);
  });

  it('goes on after any of its rows', async () => {
    const pipeline = await world(annotations, unsharded);
    const whole = list(at(await query(pipeline, SELECT), 'rows'));
    const found: JsonValue[] = [];
    let token: JsonValue | undefined;
    do {
      const rest: JsonObject = token === undefined ? {} : { continue: token };
      const answer = await query(pipeline, { ...SELECT, limit: 1, ...rest });
      found.push(...list(at(answer, 'rows')));
      token = at(answer, 'continue');
    } while (token !== undefined);
    expect(found).toEqual(whole);
  });
});

describe('a query', () => {
  it('is not about objects that the WDS does not have', async () => {
    const pipeline = await world({});
    await pipeline.record(
      pipeline.event(
        { type: 'wds', name: WDS },
        { type: 'wds-object', subject: SUBJECT, first: false },
      ),
    );
    expect(at(await query(pipeline, SELECT), 'rows')).toEqual([]);
  });

  it('sees a report before it is aggregated', async () => {
    const pipeline = await world({});
    await pipeline.record(reported(pipeline, 'a', { status: { readyReplicas: 5 } }));
    const ready = { name: 'ready', def: 'returned.status.readyReplicas' };
    const answer = await query(pipeline, { select: [ready], filter: 'inventory.name == "a"' });
    expect(columnsOf(answer)).toEqual([[{ type: 'Number', float: '5' }]]);
  });
});

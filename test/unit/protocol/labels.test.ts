import { describe, expect, it } from 'vitest';
import { handleDirty } from '#functions/aggregate-workload/use-case.ts';
import { recordEvents } from '#functions/record-events/use-case.ts';
import { sweepStale } from '#functions/sweep-stale/use-case.ts';
import type { EventContent, ForwarderEvent } from '#shared/core/event.ts';
import { isArray, type JsonValue, member } from '#shared/core/json.ts';
import { SILENCE_LIMIT_MS } from '#shared/core/silence.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import { removeWec } from '#shared/outbox/remove-wec.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { readHead } from '#shared/state/head.ts';
import { putPart, readParts } from '#shared/state/parts.ts';
import { Pipeline, WDS, WEB, WEB_SUBJECT } from './pipeline.ts';

const WECS = ['wec1', 'wec2', 'wec3', 'wec4'];
const BINDING = { type: 'binding', wds: WDS, name: 'b' } as const;
const CONTROL = { group: 'control.kubestellar.io', version: 'v1alpha1', namespace: '' };
const REGION = '"region" in inventory.labels ? inventory.labels.region : "none"';

function labels(pipeline: Pipeline, wec: string, region: string | undefined): ForwarderEvent {
  const inventory =
    region === undefined ? {} : { inventory: { labels: { region }, annotations: {} } };
  const content = { type: 'inventory', ...inventory } as const;
  return pipeline.event({ type: 'wec', name: wec }, content);
}

/** The same, said by a hub. */
function managed(event: ForwarderEvent, hub = 'its1'): ForwarderEvent {
  return { ...event, content: { ...event.content, hub } as EventContent };
}

/** That a hub was listed completely since the last event before these. */
function listed(pipeline: Pipeline, since: ForwarderEvent, hub = 'its1'): ForwarderEvent {
  return pipeline.event({ type: 'wec', name: hub }, { type: 'hub-snapshot', since: since.version });
}

async function heartbeat(pipeline: Pipeline, ...wecs: readonly string[]): Promise<void> {
  const content = { type: 'heartbeat' } as const;
  const wds = pipeline.event({ type: 'wds', name: WDS }, content);
  const others = wecs.map((name) => pipeline.event({ type: 'wec', name }, content));
  await pipeline.record(wds, ...others);
}

async function sweepAndSettle(pipeline: Pipeline): Promise<void> {
  await pipeline.sweep();
  await pipeline.settle();
}

/** A pipeline with a collector that shows an expression for each WEC. Only the first two WECs have the object. */
async function showing(def: string, unsharded?: number): Promise<Pipeline> {
  const pipeline = new Pipeline(unsharded);
  await pipeline.apply(
    { ...CONTROL, resource: 'statuscollectors', name: 'shown' },
    {
      kind: 'StatusCollector',
      metadata: { name: 'shown' },
      spec: { select: [{ name: 'shown', def }], limit: 10 },
    },
  );
  await pipeline.begin(WECS);
  await pipeline.listWds();
  await pipeline.bind(WECS, { statusCollectors: ['shown'] });
  await pipeline.record(pipeline.said('wec1', 9), pipeline.said('wec2', 9));
  await heartbeat(pipeline, ...WECS);
  await sweepAndSettle(pipeline);
  return pipeline;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isArray(value) ? value : [];
}

/** What the WDS shows for each WEC, in the order of their names. */
function shown(pipeline: Pipeline): readonly (JsonValue | undefined)[] {
  const found = pipeline.wds.objects().find(({ ref }) => ref.resource === 'combinedstatuses');
  return listOf(found?.object['results'])
    .flatMap((result) => listOf(member(result, 'rows')))
    .flatMap((row) => listOf(member(row, 'columns')))
    .map((column) => member(column, 'string') ?? member(column, 'bool'));
}

describe.each([
  ['one shard', undefined],
  ['several shards', 2],
])('labels of WECs, of an object in %s', (_which, unsharded) => {
  it('reach the results at the next sweep, also of a WEC that has returned nothing', async () => {
    const pipeline = await showing(REGION, unsharded);
    await pipeline.record(labels(pipeline, 'wec1', 'eu'), labels(pipeline, 'wec3', 'us'));
    await pipeline.settle();
    expect(shown(pipeline)).toEqual(['none', 'none', 'none', 'none']);
    await sweepAndSettle(pipeline);
    expect(shown(pipeline)).toEqual(['eu', 'none', 'us', 'none']);
    await pipeline.record(labels(pipeline, 'wec3', 'ap'));
    await sweepAndSettle(pipeline);
    expect(shown(pipeline)).toEqual(['eu', 'none', 'ap', 'none']);
  });

  it('return to what they were without an outdated part', async () => {
    const pipeline = await showing(REGION, unsharded);
    for (const region of ['eu', 'us', 'eu']) {
      await pipeline.record(labels(pipeline, 'wec1', region));
      await sweepAndSettle(pipeline);
      expect(shown(pipeline)[0]).toBe(region);
    }
  });

  it('are those of the ManagedCluster as long as there is one', async () => {
    const pipeline = await showing(REGION, unsharded);
    await pipeline.record(
      managed(labels(pipeline, 'wec1', 'hub')),
      labels(pipeline, 'wec1', 'own'),
    );
    await sweepAndSettle(pipeline);
    expect(shown(pipeline)[0]).toBe('hub');
    await pipeline.record(managed(labels(pipeline, 'wec1', undefined)));
    await sweepAndSettle(pipeline);
    expect(shown(pipeline)[0]).toBe('own');
  });

  it('are gone with the ManagedCluster, whether its deletion is reported or its hub is listed', async () => {
    const pipeline = await showing(REGION, unsharded);
    const [kept, gone, late] = ['wec1', 'wec2', 'wec3'].map((wec) =>
      managed(labels(pipeline, wec, 'eu')),
    );
    await pipeline.record(kept as never, gone as never);
    const before = managed(labels(pipeline, 'wec4', 'eu'));
    await pipeline.record(managed(labels(pipeline, 'wec4', undefined)));
    await pipeline.record(before, managed(labels(pipeline, 'wec1', 'us')));
    await sweepAndSettle(pipeline);
    expect(shown(pipeline)).toEqual(['us', 'eu', 'none', 'none']);
    await pipeline.record(listed(pipeline, before));
    await pipeline.record(late as never);
    await sweepAndSettle(pipeline);
    expect(shown(pipeline)).toEqual(['us', 'none', 'none', 'none']);
  });

  it('are those of the first hub by name, and a listing of one hub leaves the others', async () => {
    const pipeline = await showing(REGION, unsharded);
    await pipeline.record(
      managed(labels(pipeline, 'wec1', 'b'), 'hub-b'),
      managed(labels(pipeline, 'wec1', 'a'), 'hub-a'),
      managed(labels(pipeline, 'wec2', 'b'), 'hub-b'),
    );
    await sweepAndSettle(pipeline);
    expect(shown(pipeline)).toEqual(['a', 'b', 'none', 'none']);
    await pipeline.record(listed(pipeline, labels(pipeline, 'wec4', 'x'), 'hub-a'));
    await sweepAndSettle(pipeline);
    expect(shown(pipeline)).toEqual(['b', 'b', 'none', 'none']);
  });

  it('say whether a WEC is silent that has returned nothing', async () => {
    const pipeline = await showing('propagation.silent', unsharded);
    pipeline.now += SILENCE_LIMIT_MS + 1;
    await heartbeat(pipeline, 'wec1', 'wec4');
    await sweepAndSettle(pipeline);
    expect(shown(pipeline)).toEqual([false, true, true, false]);
    await heartbeat(pipeline, 'wec3');
    await sweepAndSettle(pipeline);
    expect(shown(pipeline)).toEqual([false, true, false, false]);
  });

  it('leave no silence that ended before the Binding was notified of it', async () => {
    const pipeline = await showing('propagation.silent', unsharded);
    pipeline.now += SILENCE_LIMIT_MS + 1;
    await heartbeat(pipeline, 'wec1', 'wec2', 'wec4');
    await pipeline.sweep();
    const notified = pipeline.takeDirty();
    await pipeline.record(pipeline.said('wec1', 8));
    await pipeline.settle();
    expect(shown(pipeline)).toEqual([false, false, true, false]);
    await heartbeat(pipeline, 'wec3');
    await sweepAndSettle(pipeline);
    for (const message of notified) await pipeline.aggregate(message);
    await pipeline.settle();
    expect(shown(pipeline)).toEqual([false, false, false, false]);
  });
});

it('propagation.lastContact is the last heartbeat of a silent WEC, whatever it reports, and never moves back', async () => {
  const pipeline = await showing(
    'has(propagation.lastContact) ? string(propagation.lastContact) : "reports"',
  );
  const start = Date.parse('2026-01-01T00:00:00Z');
  const contacts: unknown[] = [];
  for (const minutes of [0, 20]) {
    pipeline.now = start + minutes * 60_000;
    await heartbeat(pipeline, ...WECS);
    await sweepAndSettle(pipeline);
    expect(shown(pipeline)).toEqual(WECS.map(() => 'reports'));
    pipeline.now += SILENCE_LIMIT_MS + 1;
    await heartbeat(pipeline, 'wec2', 'wec4');
    await pipeline.record(pipeline.said('wec1', 5));
    await sweepAndSettle(pipeline);
    contacts.push(shown(pipeline));
  }
  expect(contacts).toEqual([
    ['2026-01-01T00:00:00Z', 'reports', '2026-01-01T00:00:00Z', 'reports'],
    ['2026-01-01T00:20:00Z', 'reports', '2026-01-01T00:20:00Z', 'reports'],
  ]);
});

describe.each([
  ['one shard', undefined],
  ['several shards', 2],
])(
  'propagation.silent, of an object with starfold.dev/silent-after in %s,',
  (_which, unsharded) => {
    it('is true for a WEC whose report does not count', async () => {
      const pipeline = await showing('propagation.silent', unsharded);
      await pipeline.apply(WEB, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: {
          name: 'web',
          namespace: 'shop',
          annotations: { 'starfold.dev/silent-after': '2m' },
        },
        spec: { replicas: 9 },
      });
      await sweepAndSettle(pipeline);
      expect(shown(pipeline)).toEqual([false, false, false, false]);
      pipeline.now += 120_001;
      await heartbeat(pipeline, 'wec2', 'wec4');
      await sweepAndSettle(pipeline);
      // wec3 has reported nothing about the object, so for wec3 the limit is five minutes.
      expect(shown(pipeline)).toEqual([true, false, false, false]);
      await heartbeat(pipeline, 'wec1');
      await sweepAndSettle(pipeline);
      expect(shown(pipeline)).toEqual([false, false, false, false]);
      pipeline.now += SILENCE_LIMIT_MS + 1;
      await heartbeat(pipeline, 'wec2', 'wec4');
      await sweepAndSettle(pipeline);
      expect(shown(pipeline)).toEqual([true, false, true, false]);
    });
  },
);

describe('labels of a WEC', () => {
  it('are not taken from events that are older, or older than the last complete listing', async () => {
    const pipeline = await showing(REGION);
    const old = labels(pipeline, 'wec1', 'old');
    await pipeline.record(labels(pipeline, 'wec1', 'new'));
    await pipeline.record(old);
    await sweepAndSettle(pipeline);
    expect(shown(pipeline)[0]).toBe('new');
    const since = { epoch: 1, sequence: 1_000 };
    const source = { type: 'wec', name: 'wec1' } as const;
    await pipeline.record(pipeline.event(source, { type: 'snapshot', since }, 2));
    await sweepAndSettle(pipeline);
    expect(shown(pipeline)).not.toContain('new');
    await pipeline.record(labels(pipeline, 'wec1', 'late'));
    await sweepAndSettle(pipeline);
    expect(shown(pipeline)).not.toContain('late');
  });

  it('go with the WEC', async () => {
    const pipeline = await showing(REGION);
    await pipeline.record(labels(pipeline, 'wec3', 'eu'));
    await sweepAndSettle(pipeline);
    expect(shown(pipeline)[2]).toBe('eu');
    await removeWec(pipeline.aggregateDeps(), 'wec3', pipeline.now);
    await sweepAndSettle(pipeline);
    expect(shown(pipeline)[2]).toBe('none');
  });

  it('reach an object that was aggregated with older ones, after its Binding had read them too early', async () => {
    const pipeline = await showing(REGION);
    await pipeline.record(labels(pipeline, 'wec1', 'eu'));
    await sweepAndSettle(pipeline);
    // This process keeps them until the next announcement. Every other call here is a process that reads them anew.
    const keeping = pipeline.aggregateDeps();
    await keeping.wecInventories.read();
    await pipeline.record(labels(pipeline, 'wec1', 'us'));
    await pipeline.aggregate({ type: 'subject', subject: BINDING });
    const messages = pipeline.takeDirty();
    expect(messages).toContainEqual(expect.objectContaining({ subject: WEB_SUBJECT }));
    await handleDirty(keeping, messages);
    await pipeline.settle();
    expect(shown(pipeline)[0]).toBe('eu');
    await sweepAndSettle(pipeline);
    expect(shown(pipeline)[0]).toBe('us');
  });

  it('reach an object that was aggregated with others, although its Binding never read those', async () => {
    const pipeline = await showing(REGION);
    await pipeline.record(labels(pipeline, 'wec1', 'eu'));
    await sweepAndSettle(pipeline);
    await pipeline.record(labels(pipeline, 'wec1', 'us'));
    await pipeline.record(pipeline.said('wec1', 5));
    await pipeline.settle();
    expect(shown(pipeline)[0]).toBe('us');
    await pipeline.record(labels(pipeline, 'wec1', 'eu'));
    await sweepAndSettle(pipeline);
    expect(shown(pipeline)[0]).toBe('eu');
  });

  it('notify nothing if they are the same, and no object whose collectors read none', async () => {
    const pipeline = await showing('inventory.name');
    await pipeline.record(labels(pipeline, 'wec1', 'eu'));
    await pipeline.sweep();
    const [message, ...others] = pipeline.takeDirty();
    expect(message).toMatchObject({ subject: { type: 'binding', name: 'b' }, wecs: ['wec1'] });
    expect(others).toEqual([]);
    await pipeline.aggregate(message as never);
    for (const next of pipeline.takeDirty()) await pipeline.aggregate(next);
    expect(pipeline.takeDirty()).toEqual([]);
    await pipeline.record(labels(pipeline, 'wec1', 'eu'));
    await pipeline.sweep();
    expect(pipeline.takeDirty()).toEqual([]);
  });

  it('are told to the Binding again if nothing else was told since a crash', async () => {
    for (let call = 1; ; call += 1) {
      const pipeline = await showing(REGION);
      const event = labels(pipeline, 'wec1', 'eu');
      const store = dyingAt(pipeline.store, call);
      const deps = { ...pipeline.aggregateDeps(), store };
      const run = async (): Promise<void> => {
        await recordEvents(deps, [event]);
        await sweepStale({ ...deps, dirty: pipeline.aggregateDeps().dirty });
      };
      const isDead = await run().then(
        () => false,
        () => true,
      );
      // A later statement with the same content overtakes the repeated one.
      await pipeline.record(labels(pipeline, 'wec1', 'eu'));
      await pipeline.record(event);
      await sweepAndSettle(pipeline);
      expect(shown(pipeline)[0], `after call ${call}`).toBe('eu');
      if (!isDead) {
        expect(call).toBeGreaterThan(8);
        return;
      }
    }
  });
});

/** Makes each stored part of the Deployment one of a form that has no rows. */
async function emptyParts(pipeline: Pipeline, form: string): Promise<void> {
  const pk = subjectPartition(WEB_SUBJECT);
  const { layoutRevision } = await readHead(pipeline.store, pk);
  const name = { pk, layoutRevision };
  for (const [shard, { revision, fingerprint }] of await readParts(pipeline.store, name)) {
    const ofForm = fingerprint.replace(/^\d+/, (own) => (form === 'this' ? own : form));
    await putPart(pipeline.store, name, { shard, revision, fingerprint: ofForm, part: [] });
  }
}

describe('a stored part', () => {
  it.each([
    ['3', ['eu', 'us', 'ap', 'none']],
    ['4', ['eu', 'us', 'ap', 'none']],
    ['5', ['eu', 'us', 'ap', 'none']],
    ['6', ['eu', 'us', 'ap', 'none']],
    ['this', []],
  ])('counts as it is only if it is of the form of this release (form: %s)', async (form, says) => {
    const pipeline = await showing(REGION, 2);
    const regions = { wec1: 'eu', wec2: 'us', wec3: 'ap' };
    for (const [wec, region] of Object.entries(regions))
      await pipeline.record(labels(pipeline, wec, region));
    await sweepAndSettle(pipeline);
    expect(shown(pipeline)).toEqual(['eu', 'us', 'ap', 'none']);
    await emptyParts(pipeline, form);
    await pipeline.aggregate({ type: 'subject', subject: WEB_SUBJECT });
    await pipeline.settle();
    expect(shown(pipeline)).toEqual(says);
  });
});

/** A store whose call of this number, and all later ones, fail. */
function dyingAt(store: ItemStore, last: number): ItemStore {
  let calls = 0;
  const call = async <T>(run: () => Promise<T>): Promise<T> => {
    calls += 1;
    if (calls >= last) throw new Error('killed');
    return run();
  };
  return {
    get: (keys) => call(() => store.get(keys)),
    query: (query) => call(() => store.query(query)),
    put: (puts) => call(() => store.put(puts)),
    delete: (deletes) => call(() => store.delete(deletes)),
  };
}

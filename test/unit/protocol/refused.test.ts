import { expect, it } from 'vitest';
import { bindingTooNew } from '#shared/core/binding/messages.ts';
import { at } from '#shared/core/json.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import { reportErrors } from '#shared/outbox/report-errors.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { type Head, putHead, readHead } from '#shared/state/head.ts';
import { RANGE, range } from '#shared/state/keys.ts';
import { jsonBody } from '#test/fakes/item-body.ts';
import { MULTI, Pipeline, WDS, WEB, WEB_SUBJECT } from './pipeline.ts';

const PK = subjectPartition(WEB_SUBJECT);
const REFUSED = `starfold: ${bindingTooNew('deployments.apps shop/web', 1)}`;

function refOf(name: string): ObjectRef {
  const control = { group: 'control.kubestellar.io', version: 'v1alpha1', namespace: '' };
  return { ...control, resource: 'bindings', name };
}

const CREATED: Readonly<Record<string, string>> = {
  older: '2000-01-01T00:00:00Z',
  old: '2001-01-01T00:00:00Z',
  new: '2002-01-01T00:00:00Z',
};

/** A Binding to a WEC of its own name. */
async function bind(pipeline: Pipeline, name: string, isBound = true): Promise<void> {
  const workload = { namespaceScope: isBound ? [{ ...WEB, ...MULTI }] : [] };
  await pipeline.apply(refOf(name), {
    kind: 'Binding',
    metadata: { name, uid: `uid-${name}`, creationTimestamp: CREATED[name] ?? '' },
    spec: { destinations: [{ clusterId: name }], workload },
  });
}

async function unbind(pipeline: Pipeline, name: string): Promise<void> {
  pipeline.wds.remove(refOf(name));
  const subject = { group: 'control.kubestellar.io', resource: 'bindings', namespace: '', name };
  const content = { type: 'wds-object', subject, first: false } as const;
  await pipeline.record(pipeline.event({ type: 'wds', name: WDS }, content));
}

/** The Deployment of two Bindings, of which one counts. */
async function begin(): Promise<Pipeline> {
  const pipeline = new Pipeline();
  pipeline.maxBindings = 1;
  await pipeline.apply(WEB, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { replicas: 9 },
  });
  await pipeline.record(pipeline.said('old', 1), pipeline.said('new', 2));
  await bind(pipeline, 'new');
  await bind(pipeline, 'old');
  await pipeline.settle();
  return pipeline;
}

async function errorsOf(pipeline: Pipeline, name: string): Promise<unknown> {
  return at(await pipeline.wds.api.get(refOf(name)), 'status', 'errors') ?? [];
}

it('counts the oldest Binding, even if it comes last, and notifies the other', async () => {
  const pipeline = await begin();
  expect(await pipeline.ready()).toBe(1);
  expect(await errorsOf(pipeline, 'old')).toEqual([]);
  expect(await errorsOf(pipeline, 'new')).toEqual([REFUSED]);
});

it.each([
  ['goes', (pipeline: Pipeline) => unbind(pipeline, 'old')],
  ['no longer names the object', (pipeline: Pipeline) => bind(pipeline, 'old', false)],
])('counts the next one when the oldest %s', async (_how, change) => {
  const pipeline = await begin();
  await change(pipeline);
  await pipeline.settle();
  expect(await pipeline.ready()).toBe(2);
  expect(await errorsOf(pipeline, 'new')).toEqual([]);
});

it('withdraws what it has reported to a Binding that no longer names the object', async () => {
  const pipeline = await begin();
  await bind(pipeline, 'new', false);
  await pipeline.settle();
  expect(await errorsOf(pipeline, 'new')).toEqual([]);
  expect((await pipeline.store.query(range(PK, RANGE.errorNote))).items).toEqual([]);
});

it('takes a Binding for the oldest of which an older release has kept no creationTimestamp', async () => {
  const pipeline = await begin();
  const pk = subjectPartition(WEB_SUBJECT);
  const sk = `${RANGE.membership}new`;
  const [item] = await pipeline.store.get([{ pk, sk }]);
  if (item === undefined) throw new Error('there is no membership');
  const { created: _created, ...stored } = JSON.parse(String(item.body));
  await pipeline.store.put([{ item: { ...item, body: jsonBody(stored) } }]);
  await pipeline.record(pipeline.said('old', 3));
  await pipeline.settle();
  expect(await pipeline.ready()).toBe(2);
  expect(await errorsOf(pipeline, 'old')).toEqual([REFUSED]);
});

it('withdraws what an older release has reported, which listed it in the head', async () => {
  const pipeline = await begin();
  const { workload } = WEB_SUBJECT;
  const { noted: _noted, ...head }: Head = await readHead(pipeline.store, PK);
  const revision = head.revision + 1;
  await putHead(pipeline.store, PK, { ...head, revision, errorBindings: ['old'] });
  const byBinding = new Map([['old', ['bad']]]);
  const deps = pipeline.aggregateDeps();
  await reportErrors(deps, { workload, origin: 'aggregate', revision, byBinding });
  await pipeline.settle();
  expect(await errorsOf(pipeline, 'old')).toEqual(['starfold: bad']);
  await pipeline.record(pipeline.said('old', 3));
  await pipeline.settle();
  expect(await errorsOf(pipeline, 'old')).toEqual([]);
  expect((await readHead(pipeline.store, PK)).errorBindings).toEqual([]);
});

/** A store whose call of this number begins after something else; `calls` counts them. */
function slowAt(store: ItemStore, number: number, happening: () => Promise<void>) {
  const seen = { calls: 0 };
  const before = async (): Promise<void> => {
    seen.calls += 1;
    if (seen.calls === number) await happening();
  };
  const slow: ItemStore = {
    get: async (keys) => before().then(() => store.get(keys)),
    query: async (query) => before().then(() => store.query(query)),
    put: async (puts) => before().then(() => store.put(puts)),
    delete: async (deletes) => before().then(() => store.delete(deletes)),
  };
  return { slow, seen };
}

/** What becomes of the Bindings of {@link begin}, and whether the newer one is then refused. */
interface Course {
  readonly name: string;
  /** What the slow aggregation follows from. */
  readonly first: (pipeline: Pipeline) => Promise<void>;
  readonly meanwhile: (pipeline: Pipeline) => Promise<void>;
  readonly afterwards?: (pipeline: Pipeline) => Promise<void>;
  readonly isRefused: boolean;
}

async function comeAnew(pipeline: Pipeline): Promise<void> {
  await bind(pipeline, 'new', false);
  await pipeline.settle();
  await bind(pipeline, 'new');
}

const COURSES: readonly Course[] = [
  {
    name: 'the oldest goes, and comes again',
    first: (pipeline) => unbind(pipeline, 'old'),
    meanwhile: (pipeline) => bind(pipeline, 'old'),
    isRefused: true,
  },
  {
    name: 'an older one comes, and both go',
    first: (pipeline) => bind(pipeline, 'older'),
    meanwhile: (pipeline) => unbind(pipeline, 'old').then(() => unbind(pipeline, 'older')),
    isRefused: false,
  },
  {
    name: 'the newer one goes, and comes again',
    first: (pipeline) => bind(pipeline, 'new', false),
    meanwhile: (pipeline) => bind(pipeline, 'new'),
    isRefused: true,
  },
  {
    name: 'the newer one comes, and the oldest goes',
    first: comeAnew,
    meanwhile: (pipeline) => unbind(pipeline, 'old'),
    isRefused: false,
  },
  {
    name: 'the newer one comes, and the oldest goes, and comes again later',
    first: comeAnew,
    meanwhile: (pipeline) => unbind(pipeline, 'old'),
    afterwards: (pipeline) => bind(pipeline, 'old'),
    isRefused: true,
  },
];

it.each(COURSES)(
  'reports the final state, wherever an older aggregation has been overtaken: $name',
  async ({ first, meanwhile, afterwards, isRefused }) => {
    let [number, calls] = [1, 1];
    for (; number <= calls; number += 1) {
      const pipeline = await begin();
      await first(pipeline);
      // The Bindings and their members, until the workload object is told.
      let slowly = pipeline.takeDirty();
      while (!slowly.some((one) => one.type === 'subject' && one.subject.type === 'workload')) {
        for (const message of slowly) await pipeline.aggregate(message);
        slowly = pipeline.takeDirty();
      }
      const { slow, seen } = slowAt(pipeline.store, number, async () => {
        await meanwhile(pipeline);
        await pipeline.settle();
      });
      for (const message of slowly) await pipeline.aggregate(message, slow);
      await pipeline.settle();
      await afterwards?.(pipeline);
      await pipeline.settle();
      calls = seen.calls;
      expect({ number, errors: await errorsOf(pipeline, 'new') }).toEqual({
        number,
        errors: isRefused ? [REFUSED] : [],
      });
    }
    expect(calls).toBeGreaterThan(10);
  },
);

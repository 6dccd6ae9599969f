import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type SimulatedCluster,
  type SimulatedClusterOptions,
  startSimulatedCluster,
} from '#local/simulated-cluster/simulated-cluster.ts';
import { at, isArray, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { brief, deployment, get, type OpenWatch, openWatch, send } from './http-client.ts';

let running: SimulatedCluster | undefined;

afterEach(() => running?.close());

async function start(options: Partial<SimulatedClusterOptions> = {}): Promise<string> {
  running = await startSimulatedCluster({ name: 'wec1', ...options });
  return `${running.url}/apis/apps/v1/namespaces/default/deployments`;
}

async function create(deployments: string, name: string, labels: JsonObject = {}): Promise<void> {
  const body = deployment(name, { metadata: { name, labels } });
  expect((await send(deployments, 'POST', { body })).code).toBe(201);
}

async function patch(url: string, body: JsonValue): Promise<void> {
  const contentType = 'application/merge-patch+json';
  expect((await send(url, 'PATCH', { body, contentType })).code).toBe(200);
}

function names(list: JsonValue): readonly JsonValue[] {
  const items = at(list, 'items');
  return isArray(items) ? items.map((item) => at(item, 'metadata', 'name') ?? null) : [];
}

function versionOf(list: JsonValue): string {
  return String(at(list, 'metadata', 'resourceVersion'));
}

async function briefly(watch: OpenWatch, count: number): Promise<readonly string[]> {
  const events: string[] = [];
  while (events.length < count) events.push(brief(await watch.next()));
  return events;
}

describe('a list', () => {
  it('is ordered, selected, and leaves types out of the items of built-in kinds', async () => {
    const url = await start();
    await create(url, 'b', { tier: 'x' });
    await create(url, 'a', { tier: 'x' });
    await create(url, 'c');
    const all = (await get(`${running?.url}/apis/apps/v1/deployments`)).body;
    expect([at(all, 'kind'), at(all, 'apiVersion'), names(all)]).toEqual([
      'DeploymentList',
      'apps/v1',
      ['a', 'b', 'c'],
    ]);
    expect(at(all, 'items')).not.toContainEqual(expect.objectContaining({ kind: 'Deployment' }));
    expect(names((await get(`${url}?labelSelector=tier`)).body)).toEqual(['a', 'b']);
    expect(names((await get(`${url}?fieldSelector=metadata.name%3Dc`)).body)).toEqual(['c']);
    expect((await get(`${url}?labelSelector=%3D%3D`)).code).toBe(400);
    const policies = `${running?.url}/apis/control.kubestellar.io/v1alpha1/bindingpolicies`;
    await send(policies, 'POST', { body: { metadata: { name: 'p' } } });
    expect(at((await get(policies)).body, 'items')).toEqual([
      expect.objectContaining({ kind: 'BindingPolicy' }),
    ]);
  });

  it('shows one state in all its pages', async () => {
    const url = await start();
    for (const name of ['a', 'b', 'c', 'd']) await create(url, name);
    const first = (await get(`${url}?limit=2`)).body;
    expect([names(first), at(first, 'metadata', 'remainingItemCount')]).toEqual([['a', 'b'], 2]);
    await send(`${url}/c`, 'DELETE');
    await create(url, 'e');
    const token = at(first, 'metadata', 'continue');
    const second = (await get(`${url}?limit=2&continue=${token}`)).body;
    expect(names(second)).toEqual(['c', 'd']);
    expect(at(second, 'metadata', 'continue')).toBeUndefined();
    expect(versionOf(second)).toBe(versionOf(first));
    running?.forgetHistory();
    const late = await get(`${url}?limit=2&continue=${token}`);
    expect([late.code, at(late.body, 'reason')]).toEqual([410, 'Expired']);
    expect((await get(`${url}?continue=garbage`)).code).toBe(400);
  });

  it('obeys resourceVersion and resourceVersionMatch', async () => {
    const url = await start();
    await create(url, 'a');
    const then = versionOf((await get(url)).body);
    await create(url, 'b');
    const exact = `${url}?resourceVersionMatch=Exact&resourceVersion=${then}`;
    expect(names((await get(exact)).body)).toEqual(['a']);
    expect(names((await get(`${url}?resourceVersion=${then}`)).body)).toEqual(['a', 'b']);
    const future = await get(`${url}?resourceVersion=99999`);
    expect([future.code, at(future.body, 'reason')]).toEqual([504, 'Timeout']);
    expect((await get(`${url}?resourceVersion=x`)).code).toBe(400);
    running?.forgetHistory();
    expect((await get(exact)).code).toBe(410);
  });
});

describe('a watch', () => {
  it('starts with what there is, and tells changes in order', async () => {
    const url = await start();
    await create(url, 'a');
    const watch = await openWatch(`${url}?watch=true`);
    await patch(`${url}/a/status`, { status: { replicas: 1 } });
    await send(`${url}/a`, 'DELETE');
    expect(await briefly(watch, 3)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
    await watch.close();
  });

  it('continues behind a resourceVersion, without a gap and without a repetition', async () => {
    const url = await start();
    await create(url, 'a');
    const version = versionOf((await get(url)).body);
    await create(url, 'b');
    const watch = await openWatch(`${url}?watch=1&resourceVersion=${version}`);
    await create(url, 'c');
    expect(await briefly(watch, 2)).toEqual(['ADDED b', 'ADDED c']);
    await watch.close();
  });

  it('tells only its namespace, and shows an object come and go with its labels', async () => {
    const url = await start();
    const selected = await openWatch(`${url}?watch=1&resourceVersion=1&labelSelector=on`);
    running?.apply({
      ...deployment('z'),
      metadata: { name: 'z', namespace: 'other', labels: { on: '' } },
    });
    await create(url, 'a');
    await patch(`${url}/a`, { metadata: { labels: { on: '' } } });
    await patch(`${url}/a`, { spec: { replicas: 5 } });
    await patch(`${url}/a`, { metadata: { labels: { on: null } }, spec: { replicas: 6 } });
    await create(url, 'b', { on: '' });
    expect(await briefly(selected, 2)).toEqual(['ADDED a', 'MODIFIED a']);
    const gone = await selected.next();
    expect([brief(gone), at(gone, 'object', 'spec', 'replicas')]).toEqual(['DELETED a', 5]);
    const added = await selected.next();
    expect(brief(added)).toBe('ADDED b');
    expect(Number(at(added, 'object', 'metadata', 'resourceVersion'))).toBe(
      Number(at(gone, 'object', 'metadata', 'resourceVersion')) + 1,
    );
    await selected.close();
  });

  it.each(['2', '99999'])('says that resourceVersion %s has expired', async (version) => {
    const url = await start({ historySize: 1 });
    await create(url, 'a');
    await create(url, 'b');
    const watch = await openWatch(`${url}?watch=1&resourceVersion=${version}`);
    const event = await watch.next();
    expect([at(event, 'type'), at(event, 'object', 'code'), at(event, 'object', 'reason')]).toEqual(
      ['ERROR', 410, 'Expired'],
    );
    expect(await watch.next()).toBeUndefined();
  });

  it('says so as an HTTP status where that is asked for', async () => {
    const url = await start({ expiredWatchAs: 'status' });
    await create(url, 'a');
    running?.forgetHistory();
    const { code, body } = await get(`${url}?watch=1&resourceVersion=2`);
    expect([code, at(body, 'reason')]).toEqual([410, 'Expired']);
  });

  it('marks its place in intervals and at its end', async () => {
    const url = await start({ bookmarkIntervalMs: 20 });
    const query = 'watch=1&resourceVersion=1&allowWatchBookmarks=true&timeoutSeconds=1';
    const watch = await openWatch(`${url}?${query}`);
    await send(`${running?.url}/api/v1/namespaces`, 'POST', { body: { metadata: { name: 'n' } } });
    const current = versionOf((await get(url)).body);
    const marks: JsonValue[] = [];
    for (let event = await watch.next(); event !== undefined; event = await watch.next()) {
      expect([at(event, 'type'), at(event, 'object', 'kind')]).toEqual(['BOOKMARK', 'Deployment']);
      marks.push(at(event, 'object', 'metadata', 'resourceVersion') ?? null);
    }
    expect(marks.length).toBeGreaterThan(1);
    expect(marks.at(-1)).toBe(current);
  });

  it('streams a list that ends with a bookmark', async () => {
    const url = await start();
    await create(url, 'a');
    const query =
      'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const watch = await openWatch(`${url}?${query}`);
    expect(await briefly(watch, 1)).toEqual(['ADDED a']);
    const mark = await watch.next();
    expect([at(mark, 'type'), at(mark, 'object', 'metadata', 'annotations')]).toEqual([
      'BOOKMARK',
      { 'k8s.io/initial-events-end': 'true' },
    ]);
    await watch.close();
  });

  it('ends when the cluster closes', async () => {
    const url = await start();
    const watch = await openWatch(`${url}?watch=1&resourceVersion=1`);
    await running?.close();
    running = undefined;
    expect(await watch.next()).toBeUndefined();
  });
});

describe('a list and the watch behind it', () => {
  const change = fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    labels: fc.constantFrom({}, { on: '' }),
    removes: fc.boolean(),
  });

  const play = (
    changes: readonly { name: string; labels: JsonObject; removes: boolean }[],
  ): void => {
    for (const [index, { name, labels, removes }] of changes.entries()) {
      const object = deployment(name, { metadata: { name, namespace: 'default', labels } });
      if (removes) running?.delete(object);
      else running?.apply({ ...object, spec: { index } });
    }
  };

  const follow = async (watch: OpenWatch, known: Map<JsonValue, string>): Promise<void> => {
    for (let last = ''; last !== 'ADDED end'; ) {
      const event = await watch.next();
      last = brief(event);
      const name = at(event, 'object', 'metadata', 'name') ?? null;
      expect(known.has(name)).toBe(at(event, 'type') !== 'ADDED');
      if (at(event, 'type') === 'DELETED') known.delete(name);
      else known.set(name, '');
    }
  };

  it('lead to the list of the end, from any point and under any selector', async () => {
    const url = await start({ historySize: 100 });
    const changes = fc.array(change, { maxLength: 12 });
    const selectors = fc.constantFrom('on', '!on', '');
    const property = fc.asyncProperty(changes, changes, changes, selectors, async (...given) => {
      const [before, missed, live, on] = given;
      play(before);
      const selected = `${url}?labelSelector=${encodeURIComponent(on)}`;
      const list = (await get(selected)).body;
      const known = new Map(names(list).map((name): [JsonValue, string] => [name, '']));
      play(missed);
      const watch = await openWatch(`${selected}&watch=1&resourceVersion=${versionOf(list)}`);
      play(live);
      const labels = on === 'on' ? { on: '' } : {};
      const end = { ...deployment('end'), metadata: { name: 'end', namespace: 'default', labels } };
      running?.apply(end);
      await follow(watch, known);
      await watch.close();
      const expected = names((await get(selected)).body);
      expect([...known.keys()].sort()).toEqual(expected);
      running?.delete(end);
    });
    await fc.assert(property, { numRuns: 40 });
  });
});

describe('a table', () => {
  const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

  it('shows what kubectl prints of Deployments', async () => {
    const url = await start({ clock: () => new Date('2026-01-01T00:05:00Z') });
    running?.apply({
      ...deployment('web'),
      metadata: { name: 'web', namespace: 'default', creationTimestamp: '2026-01-01T00:01:40Z' },
      status: { readyReplicas: 1, updatedReplicas: 2 },
    });
    const { body } = await get(`${url}?limit=500`, TABLE);
    const columns = at(body, 'columnDefinitions');
    expect(isArray(columns) ? columns.map((column) => at(column, 'name')) : []).toEqual([
      'Name',
      'Ready',
      'Up-to-date',
      'Available',
      'Age',
    ]);
    expect(at(body, 'rows')).toEqual([
      {
        cells: ['web', '1/2', 2, 0, '3m20s'],
        object: expect.objectContaining({ kind: 'PartialObjectMetadata' }),
      },
    ]);
    const one = (await get(`${url}/web?includeObject=Object`, TABLE)).body;
    expect(at(one, 'rows')).toEqual([
      expect.objectContaining({ object: expect.objectContaining({ kind: 'Deployment' }) }),
    ]);
    const watch = await openWatch(`${url}?watch=1`, TABLE);
    expect(at(await watch.next(), 'object', 'rows')).toHaveLength(1);
    await watch.close();
  });

  it('is refused in no form at all', async () => {
    const url = await start();
    expect((await get(url, 'application/vnd.kubernetes.protobuf')).code).toBe(406);
    expect((await get(url, 'application/vnd.kubernetes.protobuf,application/json')).code).toBe(200);
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import {
  apply,
  clusters,
  collectionPath,
  createNamespace,
  remove,
  request,
  requestOk,
  setStatus,
  watch,
} from './clusters.ts';
import { deployment } from './workloads.ts';

const namespace = 'watch-semantics';
const elsewhere = 'watch-semantics-elsewhere';
const { wds } = clusters();

beforeAll(async () => {
  await createNamespace(wds, namespace);
  await createNamespace(wds, elsewhere);
});

const deployments = collectionPath(deployment({ namespace, name: '' }).ref, namespace);
// Served since its CRD was installed, when the cluster had lived through many versions.
const policies = '/apis/control.kubestellar.io/v1alpha1/bindingpolicies';

const create = (place: { readonly namespace: string; readonly name: string }) => {
  const { ref, object } = deployment(place);
  return apply(wds, ref, object);
};

const versionOf = (object: JsonValue | undefined): string =>
  String(at(object, 'metadata', 'resourceVersion'));

const never = () => false;
const isBookmark = (event: JsonObject) => event['type'] === 'BOOKMARK';

describe('bookmarks', () => {
  it('carry the resourceVersion of a change outside the selection', async () => {
    const first = versionOf(await create({ namespace, name: 'before' }));
    const query = `watch=true&allowWatchBookmarks=true&timeoutSeconds=4&resourceVersion=${first}`;
    /** Whether a watch sees no event but a bookmark, which is not older than a change that is made meanwhile. */
    const isToldOf = async (name: string): Promise<boolean> => {
      const watching = watch(wds, `${deployments}?${query}`, isBookmark);
      const moved = versionOf(await create({ namespace: elsewhere, name }));
      const { status, events } = await watching;
      expect(status).toBe(200);
      expect(events.filter((event) => !isBookmark(event))).toEqual([]);
      return events.some(({ object }) => Number(versionOf(object)) >= Number(moved));
    };
    // The API server sends a bookmark two seconds before it ends the watch, but it does not promise one.
    let changes = 0;
    while (!(await isToldOf(`unseen-${changes}`))) changes += 1;
  });

  it('end the initial events of a watch that asks for them', async () => {
    await create({ namespace, name: 'initial' });
    const query =
      'watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
    const { events } = await watch(wds, `${deployments}?${query}`, isBookmark);
    const types = events.map((event) => event['type']);
    expect(types.slice(0, -1)).not.toHaveLength(0);
    expect(new Set(types.slice(0, -1))).toEqual(new Set(['ADDED']));
    const annotations = at(events.at(-1)?.['object'], 'metadata', 'annotations');
    expect(annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
  });
});

describe('a watch', () => {
  it('sees each write once, in order, and the deletion with the last state', async () => {
    const place = { namespace, name: 'followed' };
    const { ref, object } = deployment(place);
    const list = await requestOk(wds, { method: 'GET', path: `${deployments}?limit=500` });
    const query = `watch=true&timeoutSeconds=20&resourceVersion=${versionOf(list)}`;
    const isDeleted = (event: JsonObject) => event['type'] === 'DELETED';
    const watching = watch(wds, `${deployments}?${query}`, isDeleted);
    await apply(wds, ref, object);
    const last = await setStatus(wds, ref, { replicas: 1 });
    await remove(wds, ref);
    const { events } = await watching;
    expect(events.map((event) => event['type'])).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    const deleted = events.at(-1)?.['object'];
    expect(at(deleted, 'status')).toEqual(last['status']);
    expect(at(deleted, 'metadata', 'deletionTimestamp')).toBeUndefined();
    expect(Number(versionOf(deleted))).toBeGreaterThan(Number(versionOf(last)));
  });

  it('from a resourceVersion that is too old is an ERROR event with code 410', async () => {
    const path = `${policies}?watch=true&timeoutSeconds=5&resourceVersion=1`;
    const statusAndEvents = async () => Object.values(await watch(wds, path, never));
    // A resource that is served for the first time answers 429 until its cache is filled.
    await expect
      .poll(statusAndEvents, { timeout: 20_000 })
      .toMatchObject([200, [{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }]]);
  });
});

describe('a list', () => {
  it('whose next page is of a compacted resourceVersion is 410', async () => {
    const { resourceVersion } = Object(
      (await requestOk(wds, { method: 'GET', path: deployments }))['metadata'],
    );
    const compaction = await fetch(`${wds.etcdUrl}/v3/kv/compaction`, {
      method: 'POST',
      body: JSON.stringify({ revision: String(resourceVersion), physical: true }),
    });
    expect(compaction.status).toBe(200);
    const token = JSON.stringify({ v: 'meta.k8s.io/v1', rv: 2, start: '/a\u0000' });
    const next = Buffer.from(token).toString('base64url');
    const path = `${policies}?limit=1&continue=${next}`;
    const { status, body } = await request(wds, { method: 'GET', path });
    expect([status, body['reason']]).toEqual([410, 'Expired']);
  });
});

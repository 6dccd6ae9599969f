import { beforeEach, describe, expect, it } from 'vitest';
import { recordEvents } from '#functions/record-events/use-case.ts';
import { bundleDeploymentStatuses } from '#shared/api/bundle-deployments.ts';
import { any } from '#shared/api/resources.ts';
import type { EventContent } from '#shared/core/event.ts';
import { type JsonObject, member } from '#shared/core/json.ts';
import { FLEET_JOURNALED_KEYS } from '#shared/state/fleet/fleet-changes.ts';
import { createFleetSource } from '#shared/state/fleet/fleet-source.ts';
import { putSilence } from '#shared/state/silence.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { type JournaledStore, journaled } from '#test/fakes/memory-journal.ts';
import {
  deployment,
  deploymentsOf,
  FLEET_SOURCE,
  NAMESPACE,
  says,
  UPSTREAM,
} from '#test/unit/protocol/fleet-events.ts';
import { AskedApi, ROOT, TABLE } from './ask.ts';

const ALL = `${ROOT}/bundledeploymentstatuses`;
const NOW_MS = Date.parse('2026-11-25T10:00:00Z');
const nobody = { send: async () => undefined };

let state: JournaledStore;
let asked: AskedApi;
let sequence: number;
beforeEach(async () => {
  state = journaled(createMemoryItemStore(), { keys: FLEET_JOURNALED_KEYS });
  const { store, journal } = state;
  const source = createFleetSource({ store, upstream: UPSTREAM, journal, clock: () => NOW_MS });
  asked = new AskedApi({ source, resources: [any(bundleDeploymentStatuses(source))] });
  sequence = 0;
  for (const cluster of ['b', 'a'])
    for (const bundle of ['web', 'web-2', 'api']) await put(bundle, cluster);
});

async function record(content: EventContent): Promise<void> {
  sequence += 1;
  const { store } = state;
  await recordEvents(
    { store, specs: createSpecStore(store), dirty: nobody, hints: nobody, clock: () => NOW_MS },
    [
      {
        source: FLEET_SOURCE,
        version: { epoch: 1, sequence },
        time: new Date(NOW_MS).toISOString(),
        content,
        changedMs: NOW_MS,
      },
    ],
  );
}

function put(bundle: string, cluster: string, status: JsonObject = {}): Promise<void> {
  const object = deployment(bundle, cluster);
  const spec = { deploymentID: 'v1', stagedDeploymentID: 'v1' };
  const own = { ...object, spec, status: { ...(object['status'] as JsonObject), ...status } };
  return record(
    says('bundledeployments', bundle, { namespace: deploymentsOf(cluster), object: own }),
  );
}

function remove(bundle: string, cluster: string): Promise<void> {
  return record(says('bundledeployments', bundle, { namespace: deploymentsOf(cluster) }));
}

const NOT_READY = { ready: false } as const;

async function names(url: string): Promise<readonly string[]> {
  const { body } = await asked.ask(url);
  return (member(body, 'items') as readonly JsonObject[]).map((item) => {
    const { namespace, name } = item['metadata'] as Record<string, string>;
    return `${namespace}/${name}`;
  });
}

describe('the BundleDeployments of a management cluster', () => {
  it('are the only resource of its API', async () => {
    const { body } = await asked.ask(ROOT);
    expect(body).toMatchObject({
      resources: [
        {
          name: 'bundledeploymentstatuses',
          namespaced: true,
          kind: 'BundleDeploymentStatus',
          verbs: ['get', 'list', 'watch'],
        },
      ],
    });
    expect((await asked.ask(`${ROOT}/wecs`)).code).toBe(404);
    const query = await asked.ask(`${ROOT}/clusterstatusqueries`, { method: 'POST' });
    expect(query.code).toBe(404);
  });

  it('are got with what the statuses count of them, and are not found without a Bundle or after deletion', async () => {
    await put('web', 'a', NOT_READY);
    const url = `${ROOT}/namespaces/${deploymentsOf('a')}/bundledeploymentstatuses`;
    const { body } = await asked.ask(`${url}/web`);
    expect(body).toMatchObject({
      kind: 'BundleDeploymentStatus',
      metadata: {
        name: 'web',
        namespace: deploymentsOf('a'),
        labels: { 'fleet.cattle.io/bundle-name': 'web', 'fleet.cattle.io/cluster': 'a' },
      },
      cluster: `${NAMESPACE}/a`,
      bundle: `${NAMESPACE}/web`,
      state: 'NotReady',
    });
    await remove('web', 'a');
    expect((await asked.ask(`${url}/web`)).code).toBe(404);
    expect((await asked.ask(`${url}/none`)).code).toBe(404);
  });

  it('are listed in pages, each once, in all namespaces or in one', async () => {
    const all = await names(ALL);
    expect(all.toSorted()).toEqual(
      ['a', 'b'].flatMap((one) => ['api', 'web', 'web-2'].map((b) => `${deploymentsOf(one)}/${b}`)),
    );
    const found: string[] = [];
    let next = '';
    do {
      const url = `${ALL}?limit=1${next === '' ? '' : `&continue=${encodeURIComponent(next)}`}`;
      const { body } = await asked.ask(url);
      found.push(...(await names(url)));
      next = String(member(member(body, 'metadata'), 'continue') ?? '');
    } while (next !== '');
    expect(found).toEqual(all);
    await remove('api', 'b');
    const own = `${ROOT}/namespaces/${deploymentsOf('b')}/bundledeploymentstatuses`;
    expect(await names(own)).toHaveLength(2);
  });

  it('are selected by Fleet’s labels and by fields', async () => {
    await put('web', 'b', NOT_READY);
    const [web] = await names(`${ALL}?fieldSelector=state=NotReady`);
    expect(web).toBe(`${deploymentsOf('b')}/web`);
    expect(await names(`${ALL}?labelSelector=fleet.cattle.io/bundle-name=web`)).toHaveLength(2);
    expect(await names(`${ALL}?fieldSelector=cluster=${NAMESPACE}/a,state!=Ready`)).toEqual([]);
  });

  it('are a table', async () => {
    const own = `${ROOT}/namespaces/${deploymentsOf('a')}/bundledeploymentstatuses/web`;
    const { body } = await asked.ask(own, { accept: TABLE });
    expect(body).toMatchObject({
      rows: [
        { cells: ['web', `${NAMESPACE}/a`, `${NAMESPACE}/web`, 'Ready', '0/0', '-', '-', '-'] },
      ],
    });
  });

  it('of a Cluster whose agent is silent are unknown, and a watch says so', async () => {
    const watching = await asked.watch(`${ALL}?watch=1&fieldSelector=cluster=${NAMESPACE}/a`);
    const added = await watching.take(3);
    expect(added.toSorted()).toEqual(['ADDED api', 'ADDED web', 'ADDED web-2']);
    const silence = { name: `${NAMESPACE}/a`, upstream: UPSTREAM, heartbeat: '1', silent: true };
    await putSilence(state.store, [{ ...silence, notified: true }], NOW_MS);
    const event = await watching.next();
    expect(event).toMatchObject({ type: 'MODIFIED', object: { state: 'NotReady' } });
    await watching.leave();
  });

  it('of one Bundle are told apart in a watch, which has the deletion of each', async () => {
    const watching = await asked.watch(`${ALL}?watch=1`);
    await watching.take(6);
    const deleted = watching.take(2);
    await remove('web', 'b');
    await asked.settled();
    await remove('web', 'a');
    expect(await deleted).toEqual(['DELETED web', 'DELETED web']);
    await watching.leave();
  });

  it('are watched: what is added, changed, no longer selected, and deleted', async () => {
    const watching = await asked.watch(`${ALL}?watch=1&fieldSelector=state=NotReady`);
    const first = watching.take(4);
    await asked.settled();
    await put('web', 'a', NOT_READY);
    await asked.settled();
    await put('web', 'a');
    await asked.settled();
    await put('api', 'b', NOT_READY);
    await asked.settled();
    await remove('api', 'b');
    expect(await first).toEqual(['ADDED web', 'DELETED web', 'ADDED api', 'DELETED api']);
    await watching.leave();
  });
});

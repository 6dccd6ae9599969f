import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { noFleet } from '#functions/write-results/deps.ts';
import type { BoundObject } from '#shared/core/binding/binding.ts';
import type { FleetMode } from '#shared/core/fleet-object.ts';
import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import {
  type CheckWdsesDeps,
  type ClusterCheck,
  checkWdses,
  IF_SUBRESOURCE,
  parseWdsChecks,
  type WdsCheck,
} from '#shared/doctor/check-wdses.ts';
import { takenBy } from '#shared/doctor/writer-mark.ts';
import {
  ApiForbiddenError,
  ApiUnavailableError,
  StoreUnavailableError,
  UnknownWdsError,
  WdsCredentialsError,
} from '#shared/errors.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { reportedKey, SORT, versionText } from '#shared/state/keys.ts';
import { writeObserved } from '#shared/state/observed.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

const SELF = { identity: 'mine', runsAs: 'a test' };
const VERSION = { epoch: 1, sequence: 1 };

/** A rule of a ClusterRole. */
interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** A WDS whose administrator denies some things. */
interface ReviewingWds {
  /** As {@link titleOf} has them. */
  denied: Set<string>;
  readonly asked: string[];
  hasReportNamespace: boolean;
  lease: JsonObject | undefined;
  failure: Error | undefined;
}

let store: ItemStore;
let wds: ReviewingWds;

beforeEach(() => {
  store = createMemoryItemStore();
  wds = {
    denied: new Set(),
    asked: [],
    hasReportNamespace: true,
    lease: undefined,
    failure: undefined,
  };
});

function titleOf(attributes: JsonValue | undefined): string {
  const part = (name: string): string => String(at(attributes, name) ?? '');
  const subresource = part('subresource') === '' ? '' : `/${part('subresource')}`;
  return `${part('verb')} ${part('group')}/${part('resource')}${subresource}`;
}

function apiOf(of: ReviewingWds): ReturnType<CheckWdsesDeps['wds']> {
  return {
    get: async ({ resource }): Promise<JsonObject | undefined> => {
      if (resource === 'leases') return of.lease;
      return of.hasReportNamespace ? {} : undefined;
    },
    create: async (ref, object) => {
      if (of.failure !== undefined) throw of.failure;
      expect(ref).toMatchObject({ resource: 'selfsubjectaccessreviews', version: 'v1' });
      const title = titleOf(at(object, 'spec', 'resourceAttributes'));
      of.asked.push(title);
      return { ...object, status: { allowed: !of.denied.has(title) } };
    },
  };
}

async function check(): Promise<WdsCheck | undefined> {
  const [found] = await checkWdses({
    store,
    self: SELF,
    wdses: ['wds1'],
    wds: () => apiOf(wds),
    upstreams: [],
    fleet: noFleet,
  });
  // No other cluster is asked.
  return found as WdsCheck | undefined;
}

function bound(group: string, resource: string, wants: boolean): BoundObject {
  return {
    group,
    version: 'v1',
    resource,
    namespace: 'shop',
    name: 'web',
    modulation: {
      statusCollectors: [],
      wantSingletonReportedState: wants,
      wantMultiWECReportedState: false,
    },
  };
}

/** Stores a Binding as record-events does; without objects it has been deleted. */
async function bind(name: string, objects?: readonly BoundObject[], inWds = 'wds1'): Promise<void> {
  const key = { pk: `B#${inWds}/${name}`, sk: SORT.spec };
  const source = { type: 'wds', name: inWds } as const;
  await store.put([{ item: { ...reportedKey(source, key), version: versionText(VERSION) } }]);
  const content = objects && {
    objects: objects.map((object) => ({ ...object, modulation: { ...object.modulation } })),
  };
  await writeObserved(store, { key, version: versionText(VERSION), content });
}

describe('checkWdses', () => {
  it("asks for what infra/rbac/writer.yaml gives for KubeStellar's own objects, and finds nothing missing", async () => {
    expect(await check()).toEqual({ wds: 'wds1', reachable: true, missing: [] });
    const control = 'control.kubestellar.io';
    expect(wds.asked.sort()).toEqual(
      [
        'get /namespaces',
        'get coordination.k8s.io/leases',
        'create coordination.k8s.io/leases',
        ...['create', 'delete', 'get', 'update'].map(
          (verb) => `${verb} ${control}/combinedstatuses`,
        ),
        ...['bindings', 'bindingpolicies', 'statuscollectors'].flatMap((resource) => [
          `get ${control}/${resource}`,
          `patch ${control}/${resource}/status`,
        ]),
      ].sort(),
    );
  });

  it('asks for reading and writing of the kinds whose status a Binding wants, and of no others', async () => {
    await bind('one', [bound('', 'configmaps', false), bound('apps', 'deployments', false)]);
    await bind('two', [bound('apps', 'deployments', true)]);
    await bind('zero', [bound('apps', 'deployments', false)]);
    await check();
    const ofWorkloads = wds.asked.filter((title) => !/kubestellar|namespaces|leases/.test(title));
    expect(ofWorkloads).toEqual([
      'get apps/deployments',
      'patch apps/deployments',
      'patch apps/deployments/status',
    ]);
  });

  it('leaves out what only deleted Bindings, and those of other WDSes, name', async () => {
    await bind('gone');
    await bind('other', [bound('batch', 'jobs', true)], 'wds2');
    await check();
    expect(wds.asked.filter((title) => title.includes('jobs'))).toEqual([]);
  });

  it('names what is missing as verb, resource and subresource', async () => {
    await bind('one', [bound('apps', 'deployments', true), bound('', 'pods', true)]);
    wds.denied = new Set(['patch apps/deployments/status', 'get /pods']);
    const found = await check();
    expect(found?.missing).toEqual(['patch deployments.apps/status', 'get pods']);
  });

  it('says that a status subresource of a custom kind is needed only if there is one', async () => {
    await bind('one', [bound('argoproj.io', 'workflows', true)]);
    wds.denied.add('patch argoproj.io/workflows/status');
    const found = await check();
    expect(found?.missing).toEqual([`patch workflows.argoproj.io/status${IF_SUBRESOURCE}`]);
  });

  it.each([
    { hasReportNamespace: true, denied: ['create /namespaces'], missing: [] },
    { hasReportNamespace: false, denied: ['create /namespaces'], missing: ['create namespaces'] },
    { hasReportNamespace: false, denied: [], missing: [] },
    {
      hasReportNamespace: false,
      denied: ['get /namespaces', 'create /namespaces'],
      missing: ['get namespaces'],
    },
  ])('asks to make the namespace of reports only if it is missing: %o', async (given) => {
    wds.hasReportNamespace = given.hasReportNamespace;
    wds.denied = new Set(given.denied);
    expect((await check())?.missing).toEqual(given.missing);
  });

  it.each([
    [new ApiUnavailableError('WDS wds1: create', 'connect ECONNREFUSED'), false, 'silence'],
    [new ApiForbiddenError('WDS wds1: create', 'no'), true, 'denied'],
    [
      new WdsCredentialsError({ wds: 'wds1', location: 'ssm:/a', fault: 'missing' }, 'none'),
      false,
      'kubeconfig',
    ],
    [
      new WdsCredentialsError({ wds: 'wds1', location: 'ssm:/a', fault: 'unauthenticated' }, 'no'),
      true,
      'kubeconfig',
    ],
    [new UnknownWdsError('wds1', []), false, 'silence'],
  ])(
    'says why a WDS cannot be asked, and whether it answered: %s',
    async (failure, reachable, cause) => {
      wds.failure = failure;
      expect(await check()).toEqual({
        wds: 'wds1',
        reachable,
        error: failure.message,
        cause,
        missing: [],
      });
    },
  );

  it.each([new StoreUnavailableError('Query'), new TypeError('a fault of the program')])(
    'does not blame the WDS for what is not its fault: %s',
    async (failure) => {
      wds.failure = failure;
      await expect(check()).rejects.toBe(failure);
    },
  );

  it('checks each WDS by itself', async () => {
    const down: ReviewingWds = { ...wds, failure: new ApiUnavailableError('get', 'down') };
    const found = await checkWdses({
      store,
      self: SELF,
      wdses: ['wds1', 'wds2'],
      wds: (name) => apiOf(name === 'wds1' ? down : wds),
      upstreams: [],
      fleet: noFleet,
    });
    expect(found.map(({ reachable }) => reachable)).toEqual([false, true]);
  });
});

describe('the mark of the writer', () => {
  const taken: JsonObject = {
    metadata: { annotations: { 'starfold.dev/runs-as': 'starfold start 0.1.0' } },
    spec: { holderIdentity: 'theirs', acquireTime: '2026-01-01T00:00:00.000000Z' },
  };

  it('says which other installation writes a WDS, since when, and how to take over', async () => {
    wds.lease = taken;
    expect(await check()).toMatchObject({
      reachable: true,
      taken: takenBy(taken, { cluster: 'WDS wds1', self: SELF })?.message,
    });
  });

  it('finds nothing if it is its own, or if it may not be read', async () => {
    wds.lease = { spec: { holderIdentity: 'mine' } };
    expect(await check()).toEqual({ wds: 'wds1', reachable: true, missing: [] });
    wds.lease = taken;
    wds.denied = new Set(['get coordination.k8s.io/leases']);
    expect(await check()).toEqual({
      wds: 'wds1',
      reachable: true,
      missing: ['get leases.coordination.k8s.io in kube-system'],
    });
  });

  it('is checked in a management cluster of Fleet only if its statuses are written', async () => {
    wds.lease = taken;
    const found = (mode: FleetMode) =>
      checkWdses({
        ...{ store, self: SELF, wdses: [], wds: noFleet, upstreams: ['rancher'] },
        fleet: () => ({ api: apiOf(wds), mode }),
      });
    expect(await found('compare')).toEqual([
      { upstream: 'rancher', mode: 'compare', reachable: true, missing: [] },
    ]);
    expect(await found('write')).toMatchObject([
      { taken: expect.stringMatching(/^management cluster rancher is written by another/) },
    ]);
  });
});

describe('checkWdses of a management cluster of Fleet', () => {
  const group = 'fleet.cattle.io';
  const resources = ['bundles', 'clusters', 'clustergroups', 'gitrepos', 'helmops'];

  function checkUpstream(mode: FleetMode): Promise<readonly ClusterCheck[]> {
    const fleet = () => ({ api: apiOf(wds), mode });
    return checkWdses({
      store,
      self: SELF,
      wdses: [],
      wds: noFleet,
      upstreams: ['rancher'],
      fleet,
    });
  }

  it('asks for reading alone in the mode compare', async () => {
    const found = { upstream: 'rancher', mode: 'compare', reachable: true, missing: [] };
    expect(await checkUpstream('compare')).toEqual([found]);
    expect(wds.asked).toEqual(resources.map((resource) => `get ${group}/${resource}`));
  });

  it('asks for reading, and writing of statuses, in the mode write', async () => {
    const found = { upstream: 'rancher', mode: 'write', reachable: true, missing: [] };
    expect(await checkUpstream('write')).toEqual([found]);
    expect(wds.asked).toEqual([
      ...resources.flatMap((resource) => [
        `get ${group}/${resource}`,
        `patch ${group}/${resource}/status`,
      ]),
      'get coordination.k8s.io/leases',
      'create coordination.k8s.io/leases',
    ]);
  });

  it('names what is missing, or says why it cannot be asked', async () => {
    wds.denied = new Set([`patch ${group}/bundles/status`]);
    expect(await checkUpstream('write')).toMatchObject([
      { missing: ['patch bundles.fleet.cattle.io/status'] },
    ]);
    wds.failure = new ApiUnavailableError('create', 'down');
    expect(await checkUpstream('write')).toMatchObject([
      { reachable: false, cause: 'silence', missing: [] },
    ]);
  });

  it.each([
    ['compare', 'fleet-compare.yaml'],
    ['write', 'fleet-compare.yaml'],
    ['write', 'fleet-write.yaml'],
  ] as const)('asks in the mode %s for what infra/rbac/%s gives', async (mode, file) => {
    await checkUpstream(mode);
    const rules = parseAllDocuments(readFileSync(`infra/rbac/${file}`, 'utf8')).flatMap(
      (document) => (document.toJS().rules ?? []) as readonly Rule[],
    );
    const allowed = rules.flatMap(({ apiGroups, resources, verbs }) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${apiGroups[0]}/${resource}`)),
    );
    // The other file has the reading of Fleet's objects.
    const isOfFile = (title: string): boolean =>
      (title.startsWith('get fleet.') ? 'fleet-compare.yaml' : 'fleet-write.yaml') === file;
    expect(allowed.sort()).toEqual(wds.asked.filter(isOfFile).sort());
  });
});

describe('parseWdsChecks', () => {
  it('reads what the function answers', () => {
    const checks: readonly ClusterCheck[] = [
      { wds: 'wds1', reachable: true, missing: ['get pods'] },
      { wds: 'wds2', reachable: false, error: 'down', missing: [] },
      { upstream: 'rancher', mode: 'compare', reachable: true, missing: [] },
    ];
    expect(parseWdsChecks(JSON.stringify(checks))).toEqual(checks);
  });

  it.each([
    '',
    'null',
    '{"batchItemFailures":[]}',
    '[{"wds":"wds1"}]',
    '[{"upstream":"u","reachable":true,"missing":[]}]',
  ])('rejects %s', (text) => {
    expect(() => parseWdsChecks(text)).toThrow();
  });
});

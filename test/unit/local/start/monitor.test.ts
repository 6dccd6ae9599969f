import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ForwarderState } from '#functions/event-forwarder/forwarder-options.ts';
import { messageOfLogLine, openLogStream } from '#local/start/log-stream.ts';
import {
  cannotQueue,
  cannotRead,
  cannotWriteLog,
  deadLetters,
  eventsRejected,
  INSTALL,
  lettersNotKept,
  notServed,
  waitsFor,
} from '#local/start/messages.ts';
import { Monitor } from '#local/start/monitor.ts';
import { type ClusterObjects, CONTROL } from '#local/start/observation.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';

const APPS = { group: 'apps', version: 'v1', resource: 'deployments' };
const KEY = 'shop/web';
const SEEN = { state: 'seen' } as const;

function deployment(more: JsonObject, labels: JsonObject = {}): JsonObject {
  const metadata = { namespace: 'shop', name: 'web', uid: 'u', generation: 1, labels };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 3 }, ...more };
}

const BINDING: JsonObject = {
  metadata: { name: 'x', uid: 'x' },
  spec: {
    destinations: [{ clusterId: 'wec1' }],
    workload: {
      namespaceScope: [
        { ...APPS, namespace: 'shop', name: 'web', wantSingletonReportedState: true },
      ],
    },
  },
};
const COPIED = {
  'kubestellar.io/executing-count': '1',
  'managed-by.kubestellar.io/singletonstatus': 'true',
};
const SAID = { title: '', progress: '', hints: [] };

test('measures from the change in a WEC until the WDS says what it should', () => {
  let now = 1_000;
  const monitor = new Monitor(() => now);
  const status = { availableReplicas: 3 };
  let inWds = deployment({});
  const clusters: ClusterObjects = {
    wds: 'hub',
    wecs: ['wec1'],
    sight: () => SEEN,
    objects: (cluster, { resource }) => {
      if (resource === CONTROL.bindings.resource) return new Map([['/x', BINDING]]);
      if (resource !== APPS.resource) return new Map();
      return new Map([[KEY, cluster === 'hub' ? inWds : deployment({ status })]]);
    },
  };
  const counters = () => monitor.view(clusters, SAID).counters;
  monitor.changed(clusters, { cluster: 'wec1', resource: APPS, key: KEY });
  expect(counters()).toMatchObject({ changesPerSecond: 0.2, latencyMs: undefined });
  now += 40;
  // The label is written first: the WDS is not there yet.
  inWds = deployment({}, COPIED);
  monitor.changed(clusters, { cluster: 'hub', resource: APPS, key: KEY });
  expect(counters().latencyMs).toBeUndefined();
  now += 30;
  inWds = deployment({ status }, COPIED);
  monitor.changed(clusters, { cluster: 'hub', resource: APPS, key: KEY });
  expect(counters().latencyMs).toBe(70);
  now += 10_000;
  expect(counters().changesPerSecond).toBe(0);
});

test('a WEC that returns to an earlier status does not count as a slow WDS', () => {
  let now = 1_000;
  const monitor = new Monitor(() => now);
  let inWec = deployment({ status: { availableReplicas: 3 } });
  const inWds = deployment({ status: { availableReplicas: 3 } }, COPIED);
  const clusters: ClusterObjects = {
    wds: 'hub',
    wecs: ['wec1'],
    sight: () => SEEN,
    objects: (cluster, { resource }) => {
      if (resource === CONTROL.bindings.resource) return new Map([['/x', BINDING]]);
      if (resource !== APPS.resource) return new Map();
      return new Map([[KEY, cluster === 'hub' ? inWds : inWec]]);
    },
  };
  for (const availableReplicas of [2, 3]) {
    inWec = deployment({ status: { availableReplicas } });
    monitor.changed(clusters, { cluster: 'wec1', resource: APPS, key: KEY });
    now += 5_000;
  }
  monitor.changed(clusters, { cluster: 'hub', resource: APPS, key: KEY });
  expect(monitor.view(clusters, SAID).counters.latencyMs).toBeUndefined();
});

test('distinguishes changes of shown fields from others', () => {
  const monitor = new Monitor(() => 0);
  const inWds = deployment({});
  const clusters: ClusterObjects = {
    wds: 'hub',
    wecs: ['wec1'],
    sight: () => SEEN,
    objects: (_cluster, { resource }): ReadonlyMap<string, JsonObject> => {
      if (resource === CONTROL.bindings.resource) return new Map([['/x', BINDING]]);
      return resource === APPS.resource ? new Map([[KEY, inWds]]) : new Map();
    },
  };
  const changed = (resource: Resource, key: string) =>
    monitor.changed(clusters, { cluster: 'hub', resource, key });
  expect(changed(APPS, KEY)).toBe(true);
  expect(changed(APPS, 'shop/other')).toBe(false);
  expect(changed({ ...APPS, resource: 'daemonsets' }, KEY)).toBe(false);
  expect(changed(CONTROL.combinedStatuses, 'shop/u.x')).toBe(true);
  expect(changed(CONTROL.combinedStatuses, 'shop/v.x')).toBe(false);
  expect(changed(CONTROL.collectors, '/c')).toBe(true);
});

const NOWHERE: ClusterObjects = {
  wds: 'hub',
  wecs: [],
  objects: () => new Map(),
  sight: () => SEEN,
};
const STATE: ForwarderState = {
  connected: true,
  complete: true,
  resources: new Map(),
  problems: [],
  unsent: 0,
  objects: 0,
  tooLarge: 0,
};
const COUNTS = { listings: 1, watches: 1, failures: 0 };

function unserved(...resources: readonly string[]): Partial<ForwarderState> {
  const state = { phase: 'not-served', synced: true, unserved: true, ...COUNTS } as const;
  return { resources: new Map(resources.map((resource) => [resource, state])) };
}

test.each<[what: string, state: Partial<ForwarderState>, problem: string | undefined]>([
  ['all is well', {}, undefined],
  ['still connecting', { connected: false }, undefined],
  ['the queue fails', { queueError: 'full' }, cannotQueue('full')],
  ['discovery fails', { sourceError: 'no answer' }, cannotRead('no answer')],
  [
    'a watch fails',
    {
      resources: new Map([
        ['pods/v1', { phase: 'waiting', synced: true, error: 'reset', ...COUNTS }],
      ]),
    },
    cannotRead('reset'),
  ],
  [
    'something cannot be told',
    { problems: ['work a: no WDS', 'work b: no WDS'] },
    'work a: no WDS',
  ],
  [
    'a WDS without KubeStellar',
    {
      resources: new Map([
        [
          'bindings.control.kubestellar.io/v1alpha1',
          { phase: 'not-served', synced: true, ...COUNTS },
        ],
      ]),
    },
    notServed('bindings.control.kubestellar.io/v1alpha1', INSTALL.kubeStellar),
  ],
  [
    'a management cluster without Fleet',
    unserved('helmops.fleet.cattle.io/v1alpha1', 'bundles.fleet.cattle.io/v1alpha1'),
    notServed('bundles.fleet.cattle.io/v1alpha1', INSTALL.fleet),
  ],
  [
    'an older Fleet without HelmOps',
    unserved('helmops.fleet.cattle.io/v1alpha1', 'jobs.batch/v1'),
    undefined,
  ],
])('a cluster has a problem until it has none: %s', (_what, state, problem) => {
  const monitor = new Monitor(() => 0);
  expect(monitor.forwarder('a', { ...STATE, ...state })).toBe(problem);
  const shown = problem === undefined ? [] : [{ cluster: 'a', problem }];
  expect(monitor.view(NOWHERE, SAID).problems).toEqual(shown);
  monitor.forwarder('a', STATE);
  expect(monitor.view(NOWHERE, SAID).problems).toEqual([]);
});

test('what the Bindings wait for is a problem, too', () => {
  const monitor = new Monitor(() => 0);
  const problem = waitsFor('the inventory');
  monitor.problem('Bindings', problem);
  const shown = [{ cluster: 'Bindings', problem }];
  expect(monitor.view(NOWHERE, SAID).problems).toEqual(shown);
  monitor.problem('Bindings', undefined);
  expect(monitor.view(NOWHERE, SAID).problems).toEqual([]);
});

test('the end of the last Binding is a change, although nothing is shown anymore', () => {
  const monitor = new Monitor(() => 0);
  const change = { cluster: 'hub', resource: CONTROL.bindings, key: '/gone' };
  expect(monitor.changed(NOWHERE, change)).toBe(true);
});

test('messages that could not be handled are a problem, not a backlog', () => {
  const monitor = new Monitor(() => 0);
  monitor.backlog = { events: 2, dirty: 1, 'dirty-dlq': 4, 'events-dlq': 0 };
  const { counters, problems } = monitor.view(NOWHERE, SAID);
  expect(counters.backlog).toBe(3);
  expect(problems).toEqual([{ cluster: 'dirty-dlq', problem: deadLetters(4) }]);
  expect(monitor.deadLetters()).toEqual(problems);
});

test('dead letters that were not kept are a problem of their source, with their number', () => {
  const monitor = new Monitor(() => 0);
  monitor.backlog = { 'events-dlq': 100 };
  monitor.lettersLeftOut = new Map([['wec/a', 12]]);
  expect(monitor.deadLetters()).toEqual([
    { cluster: 'events-dlq', problem: deadLetters(100) },
    { cluster: 'events-dlq wec/a', problem: lettersNotKept(12) },
  ]);
});

test.each([
  ['wec1', 1, 70],
  ['wec2', 1, undefined],
  ['wec1', 64, 70],
  ['wec1', 65, undefined],
])(
  'with %s read here and %i Bindings, measures of what runs in wec1 %s ms: what is not read is not known, and many Bindings are not parsed',
  (read, bindings, ms) => {
    let now = 1_000;
    const monitor = new Monitor(() => now);
    const status = { availableReplicas: 3 };
    let inWds = deployment({}, COPIED);
    const clusters: ClusterObjects = {
      wds: 'hub',
      wecs: [read],
      sight: () => SEEN,
      objects: (cluster, { resource }) => {
        if (resource === CONTROL.bindings.resource)
          return new Map(Array.from({ length: bindings }, (_, i) => [`/x${i}`, { ...BINDING }]));
        if (resource !== APPS.resource) return new Map();
        return new Map([[KEY, cluster === 'hub' ? inWds : deployment({ status })]]);
      },
    };
    monitor.changed(clusters, { cluster: 'hub', resource: APPS, key: KEY });
    now += 70;
    inWds = deployment({ status }, COPIED);
    monitor.changed(clusters, { cluster: 'hub', resource: APPS, key: KEY });
    expect(monitor.view(clusters, SAID).counters.latencyMs).toBe(ms);
  },
);

test('a message that is repeated is kept once, and old ones go', () => {
  const monitor = new Monitor(() => 0);
  for (let index = 0; index < 30; index += 1) {
    monitor.message(`message ${index}`);
    monitor.message(`message ${index}`);
  }
  const { messages } = monitor.view(NOWHERE, SAID);
  expect(messages).toHaveLength(20);
  expect(messages.at(-1)).toBe('message 29');
});

test.each([
  [
    '{"level":"WARN","message":"message rejected","reasons":["x is not registered for y","z"]}',
    eventsRejected('x is not registered for y'),
  ],
  ['{"level":"WARN","message":"message rejected","reasons":[]}', undefined],
  ['{"level":"WARN","message":"other","reasons":["x"]}', undefined],
  ['{"level":"ERROR","message":"failed","group":"g","error":{"message":"why"}}', 'g: failed: why'],
  ['{"level":"ERROR","message":"queue dirty","error":"Error: why"}', 'queue dirty: Error: why'],
  ['{"level":"INFO","message":"snapshot"}', undefined],
  ['not JSON', undefined],
])('for the log line %s, a user is shown %s', (line, message) => {
  expect(messageOfLogLine(line)).toBe(message);
});

test('the log goes to its file, and what is wrong with it to the user', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'starfold-log-'));
  const told: string[] = [];
  const log = openLogStream(join(folder, 'log'), (message) => told.push(message));
  log.stream.write('{"level":"ERROR","message":"failed"}\n');
  log.stream.write('{"level":"INFO","message":"fine"}\n');
  await log.close();
  expect(told).toEqual(['failed']);
  expect(readFileSync(join(folder, 'log'), 'utf8').split('\n')).toHaveLength(3);

  const bad = openLogStream(join(folder, 'log', 'log'), (message) => told.push(message));
  const fault = cannotWriteLog(join(folder, 'log', 'log'), '');
  await expect.poll(() => told.at(-1)).toContain(fault);
  bad.stream.write('{"level":"INFO","message":"fine"}\n');
  await bad.close();
  rmSync(folder, { recursive: true });
});

test('the log does not grow forever: the older part is kept in one other file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'starfold-log-'));
  const log = openLogStream(join(folder, 'log'), () => undefined);
  const line = (n: number): string =>
    `${JSON.stringify({ level: 'INFO', n, pad: 'x'.repeat(2 ** 20) })}\n`;
  for (let n = 0; n < 25; n += 1)
    await new Promise<void>((resolve) => log.stream.write(line(n), () => resolve()));
  await log.close();
  expect(readdirSync(folder).sort()).toEqual(['log', 'log.1']);
  const sizes = ['log', 'log.1'].map((name) => statSync(join(folder, name)).size);
  for (const size of sizes) expect(size).toBeLessThan(12 * 2 ** 20);
  expect(readFileSync(join(folder, 'log'), 'utf8')).toContain('"n":24,');
  writeFileSync(join(folder, 'log'), Buffer.alloc(11 * 2 ** 20));
  await openLogStream(join(folder, 'log'), () => undefined).close();
  expect(statSync(join(folder, 'log')).size).toBe(0);
  rmSync(folder, { recursive: true });
});

test('of the management cluster it knows whether it is reached, and how many objects differ', () => {
  const clusters: ClusterObjects = {
    wds: '',
    wecs: [],
    objects: () => new Map(),
    sight: () => SEEN,
  };
  const monitor = new Monitor(() => 0);
  const shown = () => monitor.view(clusters, SAID).fleet;
  expect(shown()).toBeUndefined();
  monitor.fleet({ name: 'rancher1', mode: 'compare' });
  expect(shown()).toEqual({ name: 'rancher1', mode: 'compare', connected: false });
  monitor.forwarder('rancher1', { ...STATE, connected: true });
  monitor.fleetDiffers(2);
  expect(shown()).toMatchObject({ connected: true, differing: 2 });
  monitor.forwarder('rancher1', { ...STATE, connected: false });
  expect(shown()).toMatchObject({ connected: false, differing: 2 });
  expect(monitor.view(clusters, SAID)).toMatchObject({ hasWds: false, workloads: [] });
});

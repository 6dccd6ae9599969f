/**
 * Everything in infra/rbac/writer.yaml is needed: without one verb of one resource the log says which is missing, and what
 * waited is written once it is granted. Of the workload resources a sample is taken. That all of it together is enough
 * show writer-permissions.test.ts and the installations.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Stack, startStack } from '#local/stack/stack.ts';
import { loadKubeConfig } from '#shared/adapters/kubernetes/kube-config.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { createWriterMark, WRITER_LEASE } from '#shared/doctor/writer-mark.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { createObservability } from '#shared/runtime/observability.ts';
import {
  applyObjects,
  type Grant,
  grantsOf,
  refusalOf,
  WRITER,
  withoutGrant,
  writerObjects,
} from './accounts.ts';
import { clusters, createNamespace, read, remove } from './clusters.ts';
import {
  bind,
  clear,
  collect,
  controlRef,
  eventually,
  inWds,
  REPORT,
  removeReportNamespace,
} from './controls.ts';
import { clientOf, grantRoles } from './roles-program.ts';
import { begin, namespace, report, unwritten, WEC, workloadsOf } from './roles-writer-cases.ts';

const { wds, wec1, kubeconfigPath } = clusters();
const PATIENCE = { timeout: 30_000, interval: 50 };
const ACCOUNT = { namespace, name: namespace };
const SAMPLE: ReadonlySet<string> = new Set([
  ...['deployments', 'deployments/status', 'statefulsets', 'statefulsets/status', 'namespaces'],
]);
/** The roles of the writer for an account of this file. */
async function rolesOfAccount(): Promise<readonly JsonObject[]> {
  const written = JSON.stringify(await writerObjects())
    .replaceAll(WRITER.name, ACCOUNT.name)
    // The mark is called the same for every account.
    .replaceAll(`"resourceNames":["${ACCOUNT.name}"]`, `"resourceNames":["${WRITER_LEASE.name}"]`)
    .replaceAll(`"namespace":"${WRITER.namespace}"`, `"namespace":"${namespace}"`);
  const objects: readonly JsonObject[] = JSON.parse(written);
  return objects.filter(({ kind }) => kind !== 'Namespace' && kind !== 'Secret');
}

const roles = await rolesOfAccount();
const markGrants = grantsOf(roles).filter(({ resource }) => resource === WRITER_LEASE.resource);
const cases = grantsOf(roles)
  .filter(({ group, resource }) => group === 'control.kubestellar.io' || SAMPLE.has(resource))
  .map((grant, index) => ({ ...grant, grant, name: `${namespace}-${index}` }));

let folder: string;
let stack: Stack;
let account: ObjectApi;
let log = '';

async function bindNamespace(name: string): Promise<void> {
  await collect(name, { select: [{ name: 'wec', def: 'inventory.name' }], limit: 10 });
  const ref = { ...REPORT, name: namespace };
  await bind({ name, destinations: [WEC], objects: [[ref, { statusCollectors: [name] }]] });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'starfold-roles-writer-'));
  for (const cluster of [wds, wec1]) await createNamespace(cluster, namespace);
  await applyObjects(wds, roles);
  const client = await clientOf(wds, ACCOUNT);
  account = client;
  const kubeConfig = loadKubeConfig(kubeconfigPath, 'wds');
  const options = { requestTimeoutMs: 10_000, fieldManager: 'starfold' };
  const admin = (context: string) => createKubernetesApi(kubeConfig, { ...options, context });
  const { discover, list, watch } = admin('wds');
  const stream = new PassThrough();
  stream.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  stack = await startStack({
    file: join(folder, 'state.db'),
    // The forwarder of the WDS has rights of its own: roles-forwarder.test.ts.
    wds: { name: 'wds1', api: { ...client, discover, list, watch } },
    wecs: [{ name: WEC, api: admin('wec1') }],
    resources: ['deployments', 'statefulsets'].map((resource) => ({
      group: 'apps',
      version: 'v1',
      resource,
    })),
    writer: { identity: 'test', runsAs: 'a test' },
    observability: createObservability({
      ...{ service: 'starfold', logLevel: 'WARN', stream, metrics: 'off' },
    }),
  });
});
afterAll(async () => {
  await stack.stop();
  for (const { name } of cases) {
    const own = ['bindings', 'bindingpolicies', 'statuscollectors'];
    await clear(
      wds,
      own.map((resource) => controlRef(resource, name)),
    );
    await clear(
      wds,
      workloadsOf(name).map(({ ref }) => ref),
    );
  }
  await rm(folder, { recursive: true });
});

/** What makes the writer use a grant. */
interface Use {
  /** Before the grant is taken away. */
  prepare(name: string): Promise<void>;
  /** Afterwards. */
  cause(name: string): Promise<void>;
  /** What is still to be written. */
  missing(name: string): Promise<readonly string[]>;
}

const nothing = async (): Promise<void> => undefined;

const REPORTING: Use = {
  prepare: removeReportNamespace,
  cause: bindNamespace,
  missing: async () => ((await read(wds, REPORT)) === undefined ? [REPORT.name] : []),
};

const BEGINNING: Use = {
  prepare: nothing,
  cause: begin,
  missing: (name) => unwritten(name, 1),
};

async function beginAndWait(name: string): Promise<void> {
  await begin(name);
  await eventually(() => unwritten(name, 1), []);
}

const CHANGES: Readonly<Record<string, Use>> = {
  update: {
    prepare: beginAndWait,
    cause: (name) => report(name, 2),
    missing: (name) => unwritten(name, 2),
  },
  delete: {
    prepare: beginAndWait,
    cause: (name) => remove(wds, controlRef('bindings', name)),
    missing: async (name) => {
      const left = workloadsOf(name).map(({ ref }) => inWds(ref, 'status', 'readyReplicas')());
      return (await Promise.all(left)).some((count) => count !== undefined) ? [name] : [];
    },
  },
};

function useOf({ verb, resource }: Grant): Use {
  if (resource === 'namespaces') return REPORTING;
  return CHANGES[verb] ?? BEGINNING;
}

describe('the role of the writer', () => {
  it.each(markGrants)('needs $verb of $resource for its mark, and names it', async (grant) => {
    const at = { cluster: wds, account, namespace: WRITER_LEASE.namespace };
    await clear(wds, [WRITER_LEASE]);
    await grantRoles(at, withoutGrant(roles, grant), { ...grant, allowed: false });
    const self = { identity: 'test', runsAs: 'a test' };
    const mark = () =>
      createWriterMark({ cluster: 'WDS wds1', api: account, self, clock: Date.now }).ensure();
    await expect(mark()).rejects.toThrow(refusalOf(grant));
    await grantRoles(at, roles, { ...grant, allowed: true });
    await mark();
    expect(await read(wds, WRITER_LEASE)).toMatchObject({ spec: { holderIdentity: 'test' } });
  });

  it.each(cases)('needs $verb of $resource, which is named where it is missing', async (one) => {
    const use = useOf(one.grant);
    const at = { cluster: wds, account, namespace };
    await use.prepare(one.name);
    await grantRoles(at, withoutGrant(roles, one.grant), { ...one.grant, allowed: false });
    const before = log.length;
    await use.cause(one.name);
    const refusal = JSON.stringify(refusalOf(one.grant)).slice(1, -1);
    await vi.waitFor(() => expect(log.slice(before)).toContain(refusal), PATIENCE);
    await grantRoles(at, roles, { ...one.grant, allowed: true });
    await eventually(() => use.missing(one.name), []);
  });
});

/**
 * Everything in infra/rbac/fleet-compare.yaml and fleet-write.yaml is needed, and it is enough: the first for the mode
 * `compare`, both for `write`. Without one verb of one resource the log says which is missing, and the status is made right
 * once it is granted.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Stack, startStack } from '#local/stack/stack.ts';
import { loadKubeConfig } from '#shared/adapters/kubernetes/kube-config.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import type { AggregatedResource, FleetMode } from '#shared/core/fleet-object.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { createObservability } from '#shared/runtime/observability.ts';
import { NAMESPACE } from '#test/unit/fleet/fixtures/parts.ts';
import { applyObjects, grantsOf, refusalOf, withoutGrant } from './accounts.ts';
import { clusters } from './clusters.ts';
import { eventually } from './controls.ts';
import { defineFleet } from './fleet/crds.ts';
import { storedDifferences } from './fleet/differences.ts';
import { clearFleet, makeFleet, mergeStatus, own, upstream } from './fleet/played.ts';
import { allRight } from './fleet/seen.ts';
import { standingDifferences } from './fleet/statuses.ts';
import { objectsOf } from './helm.ts';
import { clientOf, grantRoles } from './roles-program.ts';

/** What the mark of the writer needs: roles-writer.test.ts. */
const LEASES = 'coordination.k8s.io';
const PATIENCE = { timeout: 30_000, interval: 50 };
const ACCOUNT = { namespace: 'starfold', name: 'starfold-fleet' };

async function rolesFor(mode: FleetMode): Promise<readonly JsonObject[]> {
  const objects = objectsOf(await readFile(`infra/rbac/fleet-${mode}.yaml`, 'utf8'));
  // No controller fills the Secret here.
  return objects.filter(({ kind }) => kind !== 'Secret');
}

const [compare, write] = [await rolesFor('compare'), await rolesFor('write')];
const roles = [...compare, ...write];

/** An object of each resource. */
const SAMPLES: Readonly<Record<AggregatedResource, string>> = {
  bundles: 'shop-web',
  clusters: 'c1',
  clustergroups: 'all',
  gitrepos: 'shop',
  helmops: 'cache',
};

let folder: string;
let stack: Stack;
let account: ObjectApi;
let log = '';

/** Starts the stack, whose writer has the rights of the account. */
async function start(mode: FleetMode): Promise<Stack> {
  const client = await clientOf(upstream, ACCOUNT);
  account = client;
  const options = { requestTimeoutMs: 10_000, fieldManager: 'starfold', context: upstream.name };
  const kubeConfig = loadKubeConfig(clusters().kubeconfigPath, upstream.name);
  // The forwarder has rights of its own: roles-forwarder.test.ts.
  const { discover, list, watch } = createKubernetesApi(kubeConfig, options);
  const stream = new PassThrough();
  stream.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  return startStack({
    file: join(folder, `${mode}.db`),
    wecs: [],
    fleet: { cluster: { name: upstream.name, api: { ...client, discover, list, watch } }, mode },
    writer: { identity: 'test', runsAs: 'a test' },
    observability: createObservability({
      ...{ service: 'starfold', logLevel: 'WARN', stream, metrics: 'off' },
    }),
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'starfold-roles-fleet-'));
  await defineFleet(upstream);
  await makeFleet();
  await applyObjects(upstream, compare);
});
afterAll(async () => {
  await stack.stop();
  await clearFleet();
  await rm(folder, { recursive: true });
});

describe('the role for the mode compare', () => {
  it('is enough to store all differences', async () => {
    stack = await start('compare');
    const expected = await standingDifferences(upstream);
    await eventually(() => storedDifferences(join(folder, 'compare.db')), expected);
    expect(log).toBe('');
    await stack.stop();
  });
});

describe('the roles for the mode write', () => {
  beforeAll(async () => {
    await applyObjects(upstream, write);
    stack = await start('write');
    await allRight();
  });

  it('are enough to write all statuses', () => {
    expect(log).toBe('');
  });

  it.each(grantsOf(roles).filter(({ group }) => group !== LEASES))(
    'need $verb of $resource, which is named where it is missing',
    async (one) => {
      const at = { cluster: upstream, account, namespace: NAMESPACE };
      await grantRoles(at, withoutGrant(roles, one), { ...one, allowed: false });
      const before = log.length;
      const [resource = ''] = one.resource.split('/');
      // The roles are of these resources.
      const of = resource as AggregatedResource;
      const wrong = { summary: { ready: 99, desiredReady: 99 } };
      await mergeStatus(own(of, SAMPLES[of]), wrong);
      const refusal = JSON.stringify(refusalOf(one)).slice(1, -1);
      await vi.waitFor(() => expect(log.slice(before)).toContain(refusal), PATIENCE);
      await grantRoles(at, roles, { ...one, allowed: true });
      await allRight();
    },
  );
});

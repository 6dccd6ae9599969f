/**
 * A pod needs a kubelet, which does not run here. So the process of the chart's pod runs on this machine, with what the chart gives
 * it: arguments, environment, files, the account and its roles. It works with a real API server as the WDS, and with the forwarder of
 * a WEC, which is configured by its own chart.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { at, parseJson } from '#shared/core/json.ts';
import { WRITER_LEASE } from '#shared/doctor/writer-mark.ts';
import { tokenOf } from '#test/fakes/token-file.ts';
import {
  accessAmong,
  applyObjects,
  type Grant,
  grantAccess,
  kubeconfigOfAccount,
  refusalOf,
  renderRelease,
  withoutGrant,
} from './accounts.ts';
import { apply, clusters, createNamespace, setStatus } from './clusters.ts';
import { bind, clear, controlRef, eventually, inWds } from './controls.ts';
import { killPrograms, startProgram } from './program-child.ts';
import { clientOf, grantRoles } from './roles-program.ts';
import { minute, rolledOut } from './rollout.ts';
import { STARFOLD, starfoldObjects } from './starfold-chart-objects.ts';
import { makePod, type Pod } from './starfold-pod.ts';
import { type StarfoldProgram, startStarfold } from './starfold-program.ts';
import { deployment } from './workloads.ts';

const { wds, wec1 } = clusters();
const namespace = 'starfold-chart-start';
const WEC = 'cluster1';
const PATIENCE = { timeout: 30_000, interval: 50 };
const web = deployment({ namespace, name: 'web' });
const objects = await starfoldObjects('secret');
const access = accessAmong(objects);
let folder: string;
let pods = 0;
let forwarders = 0;
const programs: StarfoldProgram[] = [];

/** Starts the process of a pod with a new volume. */
async function startPod(): Promise<{ readonly pod: Pod; readonly program: StarfoldProgram }> {
  pods += 1;
  const own = join(folder, `pod-${pods}`);
  const options = { folder: own, wds, account: STARFOLD, sources: [`wec/${WEC}`] };
  const pod = await makePod(objects, options);
  const program = startStarfold(pod);
  programs.push(program);
  return { pod, program };
}

/** Starts the forwarder of the WEC: its chart's configuration and roles, and the token of its line. */
async function startForwarder(pod: Pod, program: StarfoldProgram): Promise<void> {
  forwarders += 1;
  const name = `forwarder-${forwarders}`;
  const file = (suffix: string): string => join(folder, `${name}.${suffix}`);
  const values = {
    source: {
      type: 'wec',
      name: WEC,
      wds: 'wds1',
      select: { labelSelector: 'app=web', resources: ['deployments.apps/v1'] },
    },
    queue: {
      http: {
        url: await program.url('intake'),
        tokenSecret: { name: 'token' },
        ca: { secret: 'ca' },
      },
    },
    // A killed one has not given its Lease back.
    leaderElection: { name },
    image: { repository: 'registry.example.com/starfold/event-forwarder' },
  };
  await writeFile(file('values'), stringify(values));
  const release = await renderRelease({ namespace, name }, ['-f', file('values')]);
  await grantAccess(wec1, release);
  await writeFile(file('token'), tokenOf(`wec/${WEC}`));
  await writeFile(file('kubeconfig'), await kubeconfigOfAccount(wec1, release.account, WEC));
  const config = parse(release.config);
  await startProgram(file('config'), {
    ...config,
    queue: {
      http: { ...config.queue.http, tokenFile: file('token'), caFile: pod.certFile },
    },
    kubernetes: { ...config.kubernetes, kubeconfig: file('kubeconfig') },
    server: { port: 0, host: '127.0.0.1' },
  });
}

/** Makes the WEC say that so many replicas are ready. */
async function report(replicas: number): Promise<void> {
  await setStatus(wec1, web.ref, rolledOut(1, replicas, minute(1)));
}

/** A token of a user who may do everything in the WDS. */
async function administratorToken(): Promise<string> {
  const account = { namespace, name: 'administrator' };
  const rbac = 'rbac.authorization.k8s.io';
  await applyObjects(wds, [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: namespace },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    },
  ]);
  return parse(await kubeconfigOfAccount(wds, account, 'administrator')).users[0].user.token;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'starfold-chart-start-'));
  for (const cluster of [wds, wec1]) {
    await createNamespace(cluster, namespace);
    await apply(cluster, web.ref, web.object);
  }
  await clear(wds, [WRITER_LEASE]);
  await grantAccess(wds, { account: STARFOLD, access });
  await bind({
    name: namespace,
    destinations: [WEC],
    objects: [[web.ref, { wantMultiWECReportedState: true }]],
  });
});
afterEach(async () => {
  await killPrograms();
  await Promise.all(programs.splice(0).map((program) => program.stop()));
  await clear(wds, [WRITER_LEASE]);
});
afterAll(async () => {
  await clear(wds, [controlRef('bindings', namespace), web.ref]);
  await clear(wec1, [web.ref]);
  await rm(folder, { recursive: true, force: true });
});

describe('the pod of the chart', () => {
  it('brings what a WEC reports into the WDS, and serves its probes, the API and the metrics', async () => {
    await report(2);
    const { pod, program } = await startPod();
    await startForwarder(pod, program);
    await eventually(inWds(web.ref, 'status', 'readyReplicas'), 2);
    await report(3);
    await eventually(inWds(web.ref, 'status', 'readyReplicas'), 3);

    for (const name of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      const { scheme, port, path } = pod.probe(name);
      expect(scheme).toBe('HTTPS');
      expect(await program.ask(port, path)).toEqual({ status: 200, text: 'ok\n' });
    }

    const path = `/apis/status.starfold.dev/v1alpha1/namespaces/${namespace}/wecstatuses`;
    expect((await program.ask('api', path)).status).toBe(401);
    const listed = await program.ask('api', path, await administratorToken());
    expect(at(parseJson(listed.text), 'items')).toHaveLength(1);

    const metrics = await fetch(await program.url('metrics'));
    expect(await metrics.text()).toContain('starfold_workloads{wds="wds1"');
    expect(await program.stop()).toBe(0);
    expect(program.output()).not.toMatch(/cannot|forbidden/);
  });

  it('is the same installation after a restart, with what it has on its volume', async () => {
    await report(1);
    const { pod, program } = await startPod();
    await startForwarder(pod, program);
    await eventually(inWds(web.ref, 'status', 'readyReplicas'), 1);
    await killPrograms();
    await program.stop();
    await apply(wds, web.ref, web.object);
    const again = startStarfold(pod);
    programs.push(again);
    await startForwarder(pod, again);
    await report(3);
    await eventually(inWds(web.ref, 'status', 'readyReplicas'), 3);
    expect(again.output()).not.toContain('takeover');
  });
});

/** One grant for each part of the roles. */
const NEEDED: readonly Grant[] = [
  { group: 'apps', resource: 'deployments', verb: 'list' },
  { group: 'apps', resource: 'deployments/status', verb: 'patch' },
  { group: 'control.kubestellar.io', resource: 'bindings', verb: 'list' },
  { group: 'coordination.k8s.io', resource: 'leases', verb: 'create' },
];

describe('the roles of the chart', () => {
  it.each(NEEDED)('need $verb of $resource, which is named where it is missing', async (grant) => {
    const where = grant.resource === WRITER_LEASE.resource ? WRITER_LEASE : { namespace };
    const account = await clientOf(wds, STARFOLD);
    const asked = { cluster: wds, account, namespace: where.namespace };
    await grantRoles(asked, withoutGrant(access, grant), { ...grant, allowed: false });
    await report(2);
    const { pod, program } = await startPod();
    await startForwarder(pod, program);
    const log = (): Promise<string> =>
      readFile(join(pod.stateFolder, 'starfold', 'starfold.log'), 'utf8').catch(() => '');
    await vi.waitFor(async () => {
      const said = `${program.output()}${(await log()).replaceAll('\\"', '"')}`;
      expect(said).toContain(refusalOf(grant));
    }, PATIENCE);
    await grantRoles(asked, access, { ...grant, allowed: true });
  });
});

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { safeParse } from 'zod/mini';
import { configSchema } from '#functions/event-forwarder/program/config-schema.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import {
  CHART_NAMESPACE as namespace,
  objects,
  ofKind,
  only,
  rulesOf,
  template,
  texts,
} from './chart-objects.ts';
import { clusters, createNamespace, kubectl, request, requestOk } from './clusters.ts';
import { CHART, helm, objectsOf, valueSets, valuesFile } from './helm.ts';

const { wec1 } = clusters();
const MANIFESTS = 'infra/manifests';
const LEASE_VERBS = ['create', 'get', 'update'];
let folder: string;

/** What the API server says to these objects, and to each field of them, without keeping any. */
function dryRun(file: string): Promise<string> {
  const options = ['--server-side', '--dry-run=server', '--validate=strict'];
  return kubectl('wec1', ['apply', ...options, '-f', file]);
}

/** The answer to a pod of the Deployment, where the Pod Security Standard `restricted` is enforced. */
async function admitPod(deployment: JsonObject, change: JsonObject = {}) {
  const pod = at(deployment, 'spec', 'template', 'spec') as JsonObject;
  const spec = { ...pod, ...change };
  return request(wec1, {
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/pods?dryRun=All&fieldValidation=Strict`,
    body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'pod' }, spec },
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'starfold-chart-'));
  for (const name of [namespace, 'leases', 'starfold']) await createNamespace(wec1, name);
  await requestOk(wec1, {
    method: 'PATCH',
    path: `/api/v1/namespaces/${namespace}`,
    body: { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } },
    type: 'application/merge-patch+json',
  });
  await kubectl('wec1', ['apply', '-f', 'test/e2e/service-monitors.yaml']);
  const definition = 'crd/servicemonitors.monitoring.coreos.com';
  await kubectl('wec1', ['wait', '--for=condition=Established', definition]);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(valueSets())('the chart with the values %s', (set) => {
  it('passes lint', async () => {
    await expect(helm('lint', '--strict', CHART, '-f', valuesFile(set))).resolves.toContain(
      '0 chart(s) failed',
    );
  });

  it('is accepted by an API server, every field of it', async () => {
    const file = join(folder, `${set}.yaml`);
    await writeFile(file, await template(set));
    const lines = (await dryRun(file)).trim().split('\n');
    expect(lines).toHaveLength((await objects(set)).length);
  });

  it('makes a configuration that the forwarder takes', async () => {
    for (const { data } of await ofKind(set, 'ConfigMap')) {
      const { error } = safeParse(configSchema, parse(String(at(data, 'config.yaml'))));
      expect(error?.issues ?? []).toEqual([]);
    }
  });

  it('lets it read and nothing else, and no secret', async () => {
    for (const { verbs, resources, apiGroups } of await rulesOf(set, 'ClusterRole')) {
      expect(verbs).toEqual(['list', 'watch']);
      expect([...texts(resources), ...texts(apiGroups)]).not.toContain('*');
      expect(resources).not.toContain('secrets');
    }
  });

  it('lets it have its own Lease and no other', async () => {
    const config = (await ofKind(set, 'ConfigMap')).map(({ data }) =>
      parse(String(at(data, 'config.yaml'))),
    );
    const named = config.map(({ leaderElection }) => leaderElection.name);
    const rules = await rulesOf(set, 'Role');
    for (const { resources, resourceNames, verbs } of rules) {
      expect(resources).toEqual(['leases']);
      if (!texts(verbs).includes('create') && named.length > 0)
        expect(resourceNames).toEqual(named);
      expect(LEASE_VERBS).toEqual(expect.arrayContaining([...texts(verbs)]));
    }
    const granted = rules.flatMap(({ verbs }) => texts(verbs)).sort();
    expect(granted).toEqual((await ofKind(set, 'Role')).length > 0 ? LEASE_VERBS : []);
  });

  it('runs under the Pod Security Standard restricted, without a file system to write to', async () => {
    for (const deployment of await ofKind(set, 'Deployment')) {
      const pod = at(deployment, 'spec', 'template', 'spec');
      const [container] = at(pod, 'containers') as JsonObject[];
      expect(at(pod, 'securityContext', 'seccompProfile')).toEqual({ type: 'RuntimeDefault' });
      expect(at(container, 'securityContext')).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(at(container, 'resources', 'limits', 'memory')).toBeDefined();
      const { status, body } = await admitPod(deployment);
      expect([status, body['message']]).toEqual([201, undefined]);
    }
  });

  it('leaves time for what is unsent', async () => {
    for (const deployment of await ofKind(set, 'Deployment')) {
      const { data } = await only(set, 'ConfigMap');
      const { shutdownSeconds } = parse(String(at(data, 'config.yaml')));
      const grace = at(deployment, 'spec', 'template', 'spec', 'terminationGracePeriodSeconds');
      expect(grace).toBe(shutdownSeconds + 10);
    }
  });
});

describe('names that YAML reads as numbers where they are not in quotes', () => {
  const names = '12';
  const everywhere = `fullnameOverride=1e3,nameOverride=7,serviceAccount.name=123,leaderElection.namespace=${names}`;

  beforeAll(() => createNamespace(wec1, names));

  it.each([
    ['its', 'queue.sqs.credentialsSecret=123,priorityClassName=1e3'],
    ['wec-selector', 'queue.sqs.webIdentity.audience=123'],
    ['wds', 'leaderElection.name=1e3'],
    ['wds-access', 'source.name=1e3'],
    ['wds-remote', 'kubernetes.kubeconfigSecret.name=123,kubernetes.kubeconfigSecret.key=1e3'],
    [
      'http',
      'queue.http.tokenSecret.name=123,queue.http.tokenSecret.key=1e3,queue.http.ca.configMap=1e3,queue.http.ca.key=12',
    ],
    ['everything', 'queue.http.tokenSecret.key=1e3,queue.http.ca.secret=1e3,queue.http.ca.key=12'],
  ])(
    'are accepted by an API server as the texts that they are: %s with %s',
    async (set, values) => {
      const file = join(folder, `names-${set}.yaml`);
      const options = ['--set-string', `${everywhere},${values}`];
      // The name of a Service begins with a letter.
      const plain = ['--set', 'metrics.serviceMonitor.enabled=false,metrics.service.enabled=false'];
      const text = await helm(
        ...['template', '1', CHART, '--namespace', names, '-f', valuesFile(set)],
        ...[...options, ...plain],
      );
      await writeFile(file, text);
      expect((await dryRun(file)).trim().split('\n')).toHaveLength(objectsOf(text).length);
    },
  );
});

describe('the Deployment', () => {
  it('would be refused where it may become root: the check of the pods can fail', async () => {
    const deployment = await only('its', 'Deployment');
    const { status, body } = await admitPod(deployment, { securityContext: {} });
    expect(status).toBe(403);
    expect(body['message']).toContain('violates PodSecurity "restricted:latest"');
  });

  it('is replaced at once where nothing keeps two forwarders apart, else one pod after the other', async () => {
    expect(at(await only('single', 'Deployment'), 'spec', 'strategy', 'type')).toBe('Recreate');
    const spec = at(await only('its', 'Deployment'), 'spec');
    expect(at(spec, 'strategy', 'rollingUpdate')).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    expect(at(spec, 'replicas')).toBe(2);
  });

  it('starts again when its configuration has changed, and not otherwise', async () => {
    const checksum = async (...options: readonly string[]) => {
      const all = objectsOf(await template('its', ...options));
      const deployment = all.find(({ kind }) => kind === 'Deployment');
      return at(deployment, 'spec', 'template', 'metadata', 'annotations', 'checksum/config');
    };
    const before = await checksum();
    expect(await checksum('--set', 'replicas=3')).toBe(before);
    expect(await checksum('--set', 'logLevel=debug')).not.toBe(before);
  });

  it('has the keys of a Secret in its environment, and a token for AWS where a role is named', async () => {
    const environment = async (set: string) => {
      const pod = at(await only(set, 'Deployment'), 'spec', 'template', 'spec');
      const [container] = at(pod, 'containers') as JsonObject[];
      return ((at(container, 'env') ?? []) as JsonObject[]).map(({ name }) => name);
    };
    expect(await environment('wec-resources')).toEqual([
      'AWS_ACCESS_KEY_ID',
      'AWS_SECRET_ACCESS_KEY',
      'AWS_SESSION_TOKEN',
    ]);
    expect(await environment('wec-selector')).toEqual([
      'AWS_ROLE_ARN',
      'AWS_WEB_IDENTITY_TOKEN_FILE',
    ]);
    expect(await environment('its')).toEqual([]);
  });
});

describe('the NetworkPolicy', () => {
  it('lets in to the metrics alone, and out to DNS, the API server and the queue', async () => {
    const policy = await only('single', 'NetworkPolicy');
    expect(at(policy, 'spec', 'policyTypes')).toEqual(['Ingress', 'Egress']);
    const ports = (direction: string) =>
      (at(policy, 'spec', direction) as JsonObject[]).map((rule) =>
        (at(rule, 'ports') as JsonObject[]).map(({ port }) => port),
      );
    expect(ports('ingress')).toEqual([['http']]);
    expect(ports('egress')).toEqual([[53, 53], [443, 6443], [4566]]);
  });
});

describe('the manifests for those without Helm', () => {
  it('are what the chart gives, and an API server accepts them', async () => {
    await promisify(execFile)('bash', [`${MANIFESTS}/render.sh`, folder]);
    const files = (await readdir(MANIFESTS)).filter((file) => file.endsWith('.yaml'));
    expect(files).toHaveLength(7);
    for (const file of files) {
      const written = await readFile(join(MANIFESTS, file), 'utf8');
      expect(written, file).toBe(await readFile(join(folder, file), 'utf8'));
      expect(await dryRun(join(MANIFESTS, file))).toContain('namespace/starfold');
    }
  });
});

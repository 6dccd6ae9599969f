import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planStart } from '#local/start/plan.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import { type Grant, grantsOf, writerObjects } from './accounts.ts';
import { objects, texts } from './chart-objects.ts';
import { clusters, createNamespace, kubectl, request, requestOk } from './clusters.ts';
import { helm, objectsOf, STARFOLD_CHART, valueSets, valuesFile } from './helm.ts';
import { onlyOf, STARFOLD, starfoldObjects, starfoldTemplate } from './starfold-chart-objects.ts';

const { wec1 } = clusters();
const { namespace } = STARFOLD;
const DEFINITIONS = ['servicemonitors.monitoring.coreos.com', 'certificates.cert-manager.io'];
let folder: string;

/** What the API server says to these objects, and to each field of them, without keeping any. */
function dryRun(file: string): Promise<string> {
  const options = ['--server-side', '--dry-run=server', '--validate=strict'];
  return kubectl('wec1', ['apply', ...options, '-f', file]);
}

/** The pod of a set, if it has one. */
async function podOf(set: string): Promise<JsonObject | undefined> {
  const found = (await starfoldObjects(set)).find(({ kind }) => kind === 'StatefulSet');
  return at(found, 'spec', 'template', 'spec') as JsonObject | undefined;
}

function list(value: JsonObject | undefined, field: string): readonly JsonObject[] {
  return at(value, field) as JsonObject[]; // Of the chart, whose form an API server has accepted.
}

/** Each grant as a text, so that sets of them can be compared. */
function grantTexts(grants: readonly Grant[]): readonly string[] {
  const all = grants.map(({ group, resource, verb }) => `${verb} ${resource}.${group}`);
  return [...new Set(all)].sort();
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'starfold-chart-'));
  await createNamespace(wec1, namespace);
  await requestOk(wec1, {
    method: 'PATCH',
    path: `/api/v1/namespaces/${namespace}`,
    body: { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } },
    type: 'application/merge-patch+json',
  });
  for (const file of ['service-monitors', 'certificates'])
    await kubectl('wec1', ['apply', '-f', `test/e2e/${file}.yaml`]);
  for (const definition of DEFINITIONS)
    await kubectl('wec1', ['wait', '--for=condition=Established', `crd/${definition}`]);
});

afterAll(async () => {
  await kubectl('wec1', ['delete', 'crd', 'certificates.cert-manager.io']);
  await rm(folder, { recursive: true, force: true });
});

describe.each(valueSets(STARFOLD_CHART))('the chart of Starfold with the values %s', (set) => {
  it('passes lint', async () => {
    await expect(
      helm('lint', '--strict', STARFOLD_CHART, '-f', valuesFile(set, STARFOLD_CHART)),
    ).resolves.toContain('0 chart(s) failed');
  });

  it('is accepted by an API server, every field of it', async () => {
    const file = join(folder, `${set}.yaml`);
    await writeFile(file, await starfoldTemplate(set));
    const lines = (await dryRun(file)).trim().split('\n');
    expect(lines).toHaveLength((await starfoldObjects(set)).length);
  });

  it('tells the user what to do next', async () => {
    const { name } = STARFOLD;
    const values = ['-f', valuesFile(set, STARFOLD_CHART), '--namespace', namespace];
    const said = await helm('install', name, STARFOLD_CHART, '--dry-run=client', ...values);
    expect(said.slice(said.indexOf('NOTES:'))).toContain(`kubectl -n ${namespace} `);
  });

  it('runs under the Pod Security Standard restricted, without a file system to write to but the volume', async () => {
    const spec = await podOf(set);
    expect(spec === undefined).toBe(set === 'access');
    if (spec === undefined) return;
    const [container] = list(spec, 'containers');
    expect(at(container, 'securityContext')).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(at(container, 'resources', 'limits', 'memory')).toBeDefined();
    const writable = list(container, 'volumeMounts').filter(({ readOnly }) => readOnly !== true);
    expect(writable).toEqual([{ name: 'state', mountPath: '/state' }]);
    const { status, body } = await request(wec1, {
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/pods?dryRun=All&fieldValidation=Strict`,
      // The controller of StatefulSets adds the volume of the claim.
      body: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'pod' },
        spec: {
          ...spec,
          volumes: [...list(spec, 'volumes'), { name: 'state', emptyDir: {} }],
        },
      },
    });
    expect([status, body['message']]).toEqual([201, undefined]);
  });
});

describe('the arguments of the container', () => {
  it.each(valueSets(STARFOLD_CHART).filter((set) => set !== 'access'))(
    'with the values %s are options that starfold start takes, one each',
    async (set) => {
      const [container] = list(await podOf(set), 'containers');
      const [command, ...given] = texts(at(container, 'args'));
      expect(command).toBe('start');
      const options: Record<string, string | boolean> = {};
      for (const [index, word] of given.entries()) {
        if (!word.startsWith('--')) continue;
        const name = word.slice(2).replaceAll(/-(.)/g, (_all, letter) => letter.toUpperCase());
        expect(options).not.toHaveProperty(name);
        const next = given[index + 1];
        options[name] = next === undefined || next.startsWith('--') ? true : next;
      }
      const planned = planStart(options);
      expect(planned).toMatchObject({
        ok: true,
        plan: { type: 'clusters', wds: { name: 'wds1' } },
      });
    },
  );
});

describe('the roles of Starfold in the WDS', () => {
  it('are those of the writer, of a forwarder of the WDS and of the API together, and no others', async () => {
    const chart = (await starfoldObjects('secret')).filter(({ metadata }) => {
      const name = String(at(metadata, 'name'));
      return name.endsWith('-reader') || name.endsWith('-writer');
    });
    const forwarder = (await objects('wds')).filter(({ kind }) => kind === 'ClusterRole');
    const expected = [...grantsOf(await writerObjects()), ...grantsOf(forwarder)];
    expect(grantTexts(grantsOf(chart))).toEqual(grantTexts(expected));
  });

  it('let readers read the same as infra/rbac/status-readers.yaml', async () => {
    const files = objectsOf(await readFile('infra/rbac/status-readers.yaml', 'utf8'));
    const chart = (await starfoldObjects('secret')).filter(({ metadata }) =>
      /-status-view(-cluster)?$/.test(String(at(metadata, 'name'))),
    );
    const rules = (all: readonly JsonObject[]) =>
      all.map(({ metadata, rules: own }) => [
        at(metadata, 'labels', 'rbac.authorization.k8s.io/aggregate-to-view') ?? null,
        own ?? null,
      ]);
    expect(rules(chart)).toEqual(rules(files));
  });

  it('are bound to the account as infra/rbac/status-api.yaml does, and only with the API', async () => {
    const files = objectsOf(await readFile('infra/rbac/status-api.yaml', 'utf8'));
    const bound = (all: readonly JsonObject[]) =>
      all.filter(({ metadata }) => /-api$/.test(String(at(metadata, 'name'))));
    const chart = bound(await starfoldObjects('secret'));
    const what = ({ kind, roleRef, metadata }: JsonObject) => [
      kind,
      roleRef,
      at(metadata, 'namespace') ?? null,
    ];
    expect(chart.filter(({ kind }) => kind !== 'Service').map(what)).toEqual(files.map(what));
    const without = await starfoldObjects('secret', '--set', 'api.enabled=false');
    expect(bound(without)).toEqual([]);
  });

  it('are more only for what is asked for: Bindings that follow their policies', async () => {
    const more = grantTexts(grantsOf(await starfoldObjects('resolving')));
    const usual = grantTexts(grantsOf(await starfoldObjects('secret')));
    expect(more.filter((grant) => !usual.includes(grant))).toEqual([
      'create bindings.control.kubestellar.io',
      'delete bindings.control.kubestellar.io',
      'list managedclusters.cluster.open-cluster-management.io',
      'update bindings.control.kubestellar.io',
      'watch managedclusters.cluster.open-cluster-management.io',
    ]);
  });

  it('stand in the WDS: with a kubeconfig there are none here, and accessOnly installs the same there', async () => {
    expect(grantsOf(await starfoldObjects('remote'))).toEqual([]);
    const access = await starfoldObjects('access');
    expect(grantsOf(access)).toEqual(grantsOf(await starfoldObjects('secret')));
    expect(at(onlyOf(access, 'Secret'), 'type')).toBe('kubernetes.io/service-account-token');
  });
});

describe('the NetworkPolicy', () => {
  it('lets in to the intake, the API and the metrics, and out to DNS and the WDS', async () => {
    const policy = onlyOf(await starfoldObjects('secret'), 'NetworkPolicy');
    const spec = at(policy, 'spec') as JsonObject;
    const monitoring = { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } };
    expect(list(spec, 'ingress')).toEqual([
      { ports: [{ protocol: 'TCP', port: 'intake' }] },
      { ports: [{ protocol: 'TCP', port: 'api' }] },
      {
        ports: [{ protocol: 'TCP', port: 'metrics' }],
        from: [{ namespaceSelector: monitoring }],
      },
    ]);
    const egress = list(spec, 'egress').map((rule) => list(rule, 'ports').map(({ port }) => port));
    expect(egress).toEqual([
      [53, 53],
      [443, 6443],
    ]);
  });

  it('lets nobody to the metrics if nobody is named', async () => {
    const rendered = await starfoldObjects('secret', '--set', 'networkPolicy.metricsFrom=null');
    const spec = at(onlyOf(rendered, 'NetworkPolicy'), 'spec') as JsonObject;
    const ports = list(spec, 'ingress').flatMap((rule) => list(rule, 'ports'));
    expect(ports.map(({ port }) => port)).toEqual(['intake', 'api']);
  });
});

describe('values of the chart of Starfold that are wrong', () => {
  const issuer = 'tls.certManager.issuerRef.name';

  it.each([
    ['imag.repository=x', "additional properties 'imag' not allowed"],
    ['image.repository=', 'image.repository is missing: name the image'],
    [
      'image.repository=example.com/starfold:1',
      'image.repository is example.com/starfold:1: leave',
    ],
    ['tokens.secretName=', 'tokens.secretName is missing: name a Secret'],
    [
      'tls.secretName=',
      'tls is missing: name a Secret with tls.crt and tls.key in tls.secretName, or',
    ],
    [`${issuer}=company`, `tls.secretName and ${issuer} are both set: keep one of them`],
    ['tls.certManager.dnsNames={a.example.com}', 'tls.certManager.dnsNames is for a Certificate'],
    ['tls.certManager.dnsNames={A_}', "at '/tls/certManager/dnsNames/0'"],
    ['wds.name=', "at '/wds/name'"],
    ['wds.context=x', 'wds.context is for a kubeconfig: remove it, or name the Secret'],
    ['wds.server=http://x', "at '/wds/server'"],
    ['wds.kubeconfigSecret.name=x,wds.server=https://x', 'wds.server is for a WDS that is'],
    ['inventoryContext=its1', 'inventoryContext must be wds1'],
    ['api.enabled=false,api.console=true', 'api.enabled must be true with api.console'],
    ['api.enabled=false,ingress.enabled=true', 'api.enabled must be true with ingress.enabled'],
    ['ingress.enabled=true', 'ingress.host is missing: name the host of the API'],
    ['api.port=8443', 'intake.port, api.port and metrics.port must differ'],
    ['intake.port=443', "at '/intake/port': minimum: got 443, want 1,024"],
    [
      'metrics.enabled=false,metrics.serviceMonitor.enabled=true',
      'metrics.enabled must be true with metrics.serviceMonitor.enabled',
    ],
    ['persistence.accessModes={ReadWriteMany}', "at '/persistence/accessModes/0'"],
    ['accessOnly=true,wds.kubeconfigSecret.name=x', 'accessOnly and wds.kubeconfigSecret.name are'],
    ['accessOnly=true,serviceAccount.create=false', 'serviceAccount.create must be true'],
    ['serviceAccount.create=false', 'serviceAccount.name is missing'],
    ['labels.helm\\.sh/chart=x', "labels: helm.sh/chart is the chart's own"],
    ['podLabels.app\\.kubernetes\\.io/name=x', 'podLabels: app.kubernetes.io/name is the chart'],
    ['extraVolumes[0].name=tokens', 'tokens is a volume of the chart: give yours another name'],
    ['extraVolumes[0].name=state', 'state is a volume of the chart: give yours another name'],
    ['replicas=2', "additional properties 'replicas' not allowed"],
  ])('%s is refused, and named', async (values, message) => {
    await expect(starfoldTemplate('secret', '--set', values)).rejects.toThrow(message);
  });
});

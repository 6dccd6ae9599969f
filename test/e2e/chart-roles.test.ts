import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { FLEET_KINDS } from '#shared/core/fleet-object.ts';
import { at } from '#shared/core/json.ts';
import { ofKind, only, readable, rulesOf, template } from './chart-objects.ts';
import { CHART } from './helm.ts';

describe('the roles', () => {
  const workloads = async () => parse(await readFile(join(CHART, 'values.yaml'), 'utf8')).rbac;
  const named = async (): Promise<readonly string[]> =>
    (await workloads()).resources.map((name: string) => (name.includes('.') ? name : `${name}.`));
  const definitions = 'customresourcedefinitions.apiextensions.k8s.io';

  it.each([
    ['wec-appliedmanifestworks', ['appliedmanifestworks.work.open-cluster-management.io']],
    ['wec-selector', [definitions]],
    [
      'wds',
      [
        'bindings.control.kubestellar.io',
        'bindingpolicies.control.kubestellar.io',
        'statuscollectors.control.kubestellar.io',
        'combinedstatuses.control.kubestellar.io',
        definitions,
      ],
    ],
  ])('of %s read the workloads and %j', async (set, others) => {
    expect(await readable(set)).toEqual([...(await named()), ...others].sort());
  });

  it('of named resources read these alone', async () => {
    expect(await readable('wec-resources')).toEqual(['deployments.apps', 'services.']);
  });

  it('of an ITS read WorkStatuses and ManagedClusters alone', async () => {
    expect(await readable('its')).toEqual([
      'managedclusters.cluster.open-cluster-management.io',
      'workstatuses.control.kubestellar.io',
    ]);
  });

  it('of a management cluster of Fleet read what the forwarder follows alone', async () => {
    expect(await readable('fleet')).toEqual(
      [
        ...Object.keys(FLEET_KINDS)
          .filter((resource) => resource !== 'jobs')
          .map((resource) => `${resource}.fleet.cattle.io`),
        'jobs.batch',
      ].sort(),
    );
  });

  it('stand in the cluster that is watched: with a kubeconfig there are none here, and no token', async () => {
    expect(await ofKind('wds-remote', 'Role', 'ClusterRole', 'ClusterRoleBinding')).toEqual([]);
    const pod = at(await only('wds-remote', 'Deployment'), 'spec', 'template', 'spec');
    expect(at(pod, 'automountServiceAccountToken')).toBe(false);
    expect(await ofKind('wds-access', 'Deployment', 'ConfigMap', 'Service')).toEqual([]);
    expect(await readable('wds-access')).toEqual(await readable('wds'));
    expect(at(await only('wds-access', 'Secret'), 'type')).toBe(
      'kubernetes.io/service-account-token',
    );
  });

  it('for a Lease in a namespace of others are named after the namespace of the release, too', async () => {
    const named = async (set: string) =>
      (await ofKind(set, 'Role', 'RoleBinding')).map(({ metadata, roleRef }) => [
        at(metadata, 'namespace'),
        at(metadata, 'name'),
        at(roleRef, 'name'),
      ]);
    const name = 'chart-forwarder-cluster1';
    expect(await named('everything')).toEqual([
      ['leases', name, undefined],
      ['leases', name, name],
    ]);
    const own = 'forwarder-event-forwarder';
    expect(await named('its')).toEqual([
      ['chart', own, undefined],
      ['chart', own, own],
    ]);
  });

  it('are the same for the Lease in the watched cluster and in the configuration', async () => {
    const [, rule] = await rulesOf('wds-access', 'Role');
    const { data } = await only('wds-remote', 'ConfigMap');
    const { leaderElection } = parse(String(at(data, 'config.yaml')));
    expect(at(rule, 'resourceNames')).toEqual([leaderElection.name]);
  });
});

const SQS = 'sqs.eu-central-1.amazonaws.com/1/q';

it.each([
  'https://sqs-fips.us-west-2.amazonaws.com/1/q',
  'https://vpce-1-a.sqs.eu-west-1.vpce.amazonaws.com/1/q',
])('the region is not asked for where the host names it: %s', async (url) => {
  await expect(template('its', '--set', `queue.sqs.url=${url}`)).resolves.toContain(url);
});

it('the region may be given where the host names the same', async () => {
  const given = `queue.sqs.url=https://${SQS},queue.sqs.region=eu-central-1`;
  await expect(template('its', '--set', given)).resolves.toContain('region: "eu-central-1"');
});

describe('values that are wrong', () => {
  it.each([
    ['sorce.name=x', "additional properties 'sorce' not allowed"],
    ['source.selekt.labelSelector=a', "at '/source': additional properties 'selekt' not allowed"],
    ['queue.http.tokenSecret.nam=x', "at '/queue/http/tokenSecret': additional properties 'nam'"],
    ['replicas=two', "at '/replicas': got string, want integer"],
    [
      'source.type=wex',
      "at '/source/type': value must be one of 'wec', 'its', 'inventory', 'wds', 'fleet'",
    ],
    ['rbac.resources={*}', "at '/rbac/resources/0': '*' does not match pattern"],
    ['source.select.resources={deployments}', "at '/source/select/resources/0'"],
    ['source.name=', 'source.name is missing'],
    ['source.select.appliedManifestWorks=false', 'source.select is missing'],
    ['source.select.labelSelector=a=b', 'appliedManifestWorks goes alone'],
    ['source.type=its', 'source.select is for source.type wec: remove it, source.type is its'],
    [
      'source.select.appliedManifestWorks=false,source.select.labelSelector=a,source.wds=',
      'source.wds is missing',
    ],
    [
      'source.type=wds,source.select.appliedManifestWorks=false',
      'source.wds is for source.type wec and its',
    ],
    [
      'source.type=fleet,source.select.appliedManifestWorks=false',
      'source.wds is for source.type wec and its: remove it, a management cluster of Fleet has none',
    ],
    ['queue.http.url=', 'queue.sqs.url or queue.http.url is missing'],
    ['queue.sqs.url=https://sqs.eu-central-1.amazonaws.com/1/q', 'are both set'],
    ['queue.http.url=,queue.sqs.url=https://queue.example.com/q', 'queue.sqs.region is missing'],
    ['queue.http.tokenSecret.name=', 'queue.http.tokenSecret.name is missing'],
    [
      'queue.http.url=https://queue.example.com/v1/events',
      'queue.http.url must be a URL without a path',
    ],
    ['queue.http.url=http://queue.example.com', 'queue.http.ca is for https'],
    ['queue.http.url=https://:8443', 'queue.http.url must name a host'],
    ['queue.http.url=https://queue.example.com:https', 'queue.http.url must name a host'],
    ['queue.http.url=https://u:p@queue.example.com:1', 'queue.http.url must have no user and no'],
    [`queue.http.url=,queue.sqs.url=https://u:p@${SQS}`, 'queue.sqs.url must have no user and no'],
    [`queue.http.url=,queue.sqs.url=https://${SQS}.fifo`, 'which is no FIFO queue'],
    [`queue.http.url=,queue.sqs.url=https://${SQS}.fifo/`, 'which is no FIFO queue'],
    [
      `queue.http.url=,queue.sqs.url=https://${SQS},queue.sqs.region=us-east-1`,
      'queue.sqs.region is us-east-1, and the URL of the queue names eu-central-1: remove it',
    ],
    [
      'source.select.appliedManifestWorks=false,source.select.labelSelector= ',
      'source.select.labelSelector is blank',
    ],
    ['kubernetes.qps=0', "at '/kubernetes/qps': minimum: got 0, want 1"],
    ['image.repository=registry.example.com:5000/forwarder:1.0', 'image.repository is registry'],
    ['image.repository=forwarder@sha256:0', "at '/image/repository'"],
    ['queue.http.token=short', "at '/queue/http/token'"],
    ['queue.http.ca.secret=b', 'queue.http.ca.configMap and queue.http.ca.secret are both set'],
    ['leaderElection.enabled=false', 'replicas must be 1'],
    ['leaderElection.renewDeadlineSeconds=15', 'leaseDurationSeconds must be longer'],
    ['leaderElection.retryPeriodSeconds=9', 'longer than 1.2 times retryPeriodSeconds'],
    ['accessOnly=true,kubernetes.kubeconfigSecret.name=x', 'accessOnly and kubernetes.kubeconfig'],
    ['accessOnly=true,serviceAccount.create=false', 'serviceAccount.create must be true'],
    ['serviceAccount.create=false', 'serviceAccount.name is missing'],
    [
      'metrics.serviceMonitor.enabled=true,metrics.service.enabled=false',
      'metrics.service.enabled must be true',
    ],
  ])('%s is refused, and named', async (values, message) => {
    await expect(template('http', '--set', values)).rejects.toThrow(message);
  });

  it('are a rate that is less than one request a second', async () => {
    const wrong = template('http', '--set-json', 'kubernetes.qps=0.5');
    await expect(wrong).rejects.toThrow("at '/kubernetes/qps': minimum: got 0.5, want 1");
  });

  it('are not told where they may be a password', async () => {
    const wrong = template('http', '--set', 'queue.http.url=https://user:secret@example.com');
    await expect(wrong).rejects.toMatchObject({ stderr: expect.not.stringContaining('secret') });
  });
});

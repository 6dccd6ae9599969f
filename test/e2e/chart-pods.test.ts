import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { safeParse } from 'zod/mini';
import { defaultLeaseName } from '#functions/event-forwarder/program/config-rules.ts';
import { configSchema } from '#functions/event-forwarder/program/config-schema.ts';
import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { only, template } from './chart-objects.ts';
import { objectsOf } from './helm.ts';

/** The object of this kind, rendered with other values. */
async function rendered(set: string, kind: string, ...values: readonly string[]) {
  const options = values.flatMap((value) => ['--set', value]);
  return objectsOf(await template(set, ...options)).find((object) => object['kind'] === kind);
}

function list(value: JsonValue | undefined, field: string): readonly JsonObject[] {
  return at(value, field) as JsonObject[]; // Of the chart, whose form an API server has accepted.
}

describe('the name of the Lease', () => {
  const hash = (source: string) => createHash('sha256').update(source).digest('hex').slice(0, 8);
  const leaseOf = async (type: string, name: string): Promise<string> => {
    const set = { wec: 'http', its: 'its', wds: 'wds', fleet: 'fleet' }[type] ?? '';
    const config = await rendered(set, 'ConfigMap', `source.name=${name}`);
    const lease = parse(String(at(config, 'data', 'config.yaml'))).leaderElection.name;
    expect(lease).toBe(defaultLeaseName({ type, name }));
    const role = await rendered(set, 'Role', `source.name=${name}`);
    expect(list(role, 'rules').at(-1)).toMatchObject({ resourceNames: [lease] });
    return lease;
  };
  const long = 'a'.repeat(183);

  it.each([
    ['wec', 'prod', 'event-forwarder-wec-prod'],
    ['wds', 'prod', 'event-forwarder-wds-prod'],
    ['its', 'prod', 'event-forwarder-its-prod'],
    ['fleet', 'prod', 'event-forwarder-fleet-prod'],
    ['wec', 'prod.eu-1', 'event-forwarder-wec-prod.eu-1'],
    ['wec', 'Prod', `event-forwarder-wec-prod-${hash('wec/Prod')}`],
    ['wec', 'prod_eu', `event-forwarder-wec-prod-eu-${hash('wec/prod_eu')}`],
    ['wec', 'prod:eu', `event-forwarder-wec-prod-eu-${hash('wec/prod:eu')}`],
    ['wec', '@', `event-forwarder-wec---${hash('wec/@')}`],
    ['wec', long.slice(0, 180), `event-forwarder-wec-${long.slice(0, 180)}`],
    ['wec', long, `event-forwarder-wec-${long.slice(0, 170)}-${hash(`wec/${long}`)}`],
    ['wec', `${long}b`, `event-forwarder-wec-${long.slice(0, 170)}-${hash(`wec/${long}b`)}`],
  ])('of %s/%s is of no other source, and the role allows that one', async (type, name, lease) => {
    expect(await leaseOf(type, name)).toBe(lease);
    expect(lease.length).toBeLessThanOrEqual(200);
  });

  it('has to be given where the source makes none', async () => {
    const wrong = template('its', '--set', 'source.name=a..b');
    await expect(wrong).rejects.toThrow('leaderElection.name is missing: source.name a..b makes');
    const given = ['--set', 'source.name=a..b,leaderElection.name=a-b'];
    await expect(template('its', ...given)).resolves.toContain('resourceNames: ["a-b"]');
    const none = ['--set', 'source.name=a..b'];
    await expect(template('single', ...none)).resolves.toContain('kind: Deployment');
  });

  it('is left out where there is none, and the source may have any name', async () => {
    const config = await rendered('single', 'ConfigMap', 'source.name=a..b');
    const content = parse(String(at(config, 'data', 'config.yaml')));
    expect(content.leaderElection).toMatchObject({ enabled: false });
    expect(safeParse(configSchema, content).error?.issues ?? []).toEqual([]);
  });
});

describe('a pod', () => {
  it('has no image but the one that is named', async () => {
    await expect(template('its', '--set', 'image.repository=')).rejects.toThrow(
      'image.repository is missing: name the image that you have built and pushed',
    );
    await expect(template('wds-access', '--set', 'image.repository=')).resolves.toBeTruthy();
  });

  it('has the volumes that are asked for beside its own', async () => {
    const pod = at(await only('everything', 'Deployment'), 'spec', 'template', 'spec');
    const [container] = list(pod, 'containers');
    const [volumes, mounts] = [list(pod, 'volumes'), list(container, 'volumeMounts')];
    expect(volumes.map(({ name }) => name)).toEqual(['config', 'token', 'ca', 'company']);
    expect(mounts.map(({ name }) => name)).toEqual(['config', 'token', 'ca', 'company']);
    expect(volumes.at(-1)).toEqual({ name: 'company', configMap: { name: 'company-ca' } });
    expect(mounts.at(-1)).toEqual({ name: 'company', mountPath: '/etc/company', readOnly: true });
  });

  it.each([
    ['podLabels.app\\.kubernetes\\.io/name=x', 'podLabels: app.kubernetes.io/name is the chart'],
    ['podLabels.app\\.kubernetes\\.io/instance=x', 'podLabels: app.kubernetes.io/instance is'],
    ['labels.app\\.kubernetes\\.io/name=x', 'labels: app.kubernetes.io/name is the chart'],
    ['labels.helm\\.sh/chart=x', "labels: helm.sh/chart is the chart's own"],
    ['extraVolumes[0].name=config', 'config is a volume of the chart: give yours another name'],
    ['extraVolumeMounts[0].name=x', "at '/extraVolumeMounts/0': missing property 'mountPath'"],
  ])(
    'is selected by the labels and reads the files of the chart: %s is refused',
    async (value, message) => {
      await expect(template('its', '--set', value)).rejects.toThrow(message);
    },
  );
});

describe('the rule for DNS', () => {
  const dnsOf = async (...values: readonly string[]) => {
    const policy = await rendered('single', 'NetworkPolicy', ...values);
    return list(at(policy, 'spec'), 'egress')[0];
  };

  it('is for the pods of kube-dns', async () => {
    expect(at(await dnsOf(), 'to')).toEqual([
      {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
        podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
      },
    ]);
  });

  it('has the peers that are given, and nothing of the default beside them', async () => {
    const rule = await dnsOf(
      'networkPolicy.dns.to[0].ipBlock.cidr=169.254.20.10/32',
      'networkPolicy.dns.ports={53,5353}',
    );
    expect(at(rule, 'to')).toEqual([{ ipBlock: { cidr: '169.254.20.10/32' } }]);
    expect(at(rule, 'ports')).toEqual(
      [53, 5353].flatMap((port) => ['UDP', 'TCP'].map((protocol) => ({ protocol, port }))),
    );
    expect(at(await dnsOf('networkPolicy.dns.to=null'), 'to')).toBeUndefined();
  });
});

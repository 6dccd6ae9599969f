import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { parseKubeconfigLocations } from '#shared/adapters/parameters/kubeconfig-locations.ts';
import { OBJECTS_PER_WEC } from '#shared/state/quota.ts';

interface Resolved {
  readonly region: string;
  readonly alarmEmail: string;
  readonly wdses: unknown;
  readonly apiFile: string;
  readonly workloadsFile: string;
  readonly countedWdses: string;
  readonly notificationsFile: string;
  readonly notified: {
    readonly document: string;
    readonly bus: string;
    readonly statements: readonly unknown[];
  };
  readonly objectsPerWec: string;
  readonly table: unknown;
  readonly statuses: {
    readonly readers: string;
    readonly statements: readonly unknown[];
    readonly vpc: unknown;
  };
  readonly writer: {
    readonly environment: string;
    readonly fleetEnvironment: string;
    readonly fleetMode: string;
    readonly statements: readonly unknown[];
    readonly vpc: unknown;
  };
}

const require = createRequire(import.meta.url);
// CommonJS, since the deployment framework loads it so: there are no types to import.
const settings = require('#infra/settings.cjs') as (framework: {
  resolveConfigurationProperty: (path: readonly string[]) => Promise<unknown>;
}) => Promise<Resolved>;

let folder: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'starfold-settings-'));
  file = join(folder, 'settings.yml');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function resolveFile(path: string): Promise<Resolved> {
  return settings({
    resolveConfigurationProperty: async (property) =>
      property.join('.') === 'custom.settingsFile' ? path : undefined,
  });
}

async function resolve(given: unknown): Promise<Resolved> {
  await writeFile(file, typeof given === 'string' ? given : stringify(given));
  return resolveFile(file);
}

const SECRET = 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:starfold/wds1-AbCdEf';
const UPSTREAMS = { rancher: 'ssm:/starfold/rancher' };
const VPC = {
  subnetIds: ['subnet-0a1b2c3d', 'subnet-0a1b2c3d4e5f67890'],
  securityGroupIds: ['sg-0a1b2c3d'],
};
const GOOD = { region: 'eu-central-1', wdses: { wds1: 'ssm:/starfold/wds1' }, alarmEmail: '' };

function warmed(units: Readonly<Record<string, number>>) {
  return { Resources: { Table: { Properties: { WarmThroughput: units } } } };
}

function withBus(eventBus: string, region = GOOD.region) {
  return { ...GOOD, region, notifications: { document: 'ssm:/x', eventBus } };
}

describe('the settings', () => {
  it('become the environment of the writer, and the right to read exactly its kubeconfigs', async () => {
    const wdses = {
      wds1: 'ssm:/starfold/wds1',
      wds2: `secretsmanager:${SECRET}`,
      wds3: 'ssm:plain',
    };
    const {
      writer,
      statuses: _,
      ...others
    } = await resolve({ ...GOOD, wdses, alarmEmail: 'ops@example.com' });
    expect(others).toEqual({
      region: 'eu-central-1',
      wdses,
      alarmEmail: 'ops@example.com',
      apiFile: 'no-api.yml',
      objectsPerWec: String(OBJECTS_PER_WEC),
      table: {},
      workloadsFile: 'no-workloads.yml',
      countedWdses: '',
      notificationsFile: 'no-notifications.yml',
      notified: { document: '', bus: '', statements: [] },
    });
    expect(JSON.parse(writer.environment)).toEqual(wdses);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation's own placeholders.
    const parameter = 'arn:${AWS::Partition}:ssm:${AWS::Region}:${AWS::AccountId}:parameter';
    expect(writer.statements).toEqual([
      {
        Effect: 'Allow',
        Action: ['ssm:GetParameter'],
        Resource: { 'Fn::Sub': `${parameter}/starfold/wds1` },
      },
      { Effect: 'Allow', Action: ['secretsmanager:GetSecretValue'], Resource: SECRET },
      {
        Effect: 'Allow',
        Action: ['ssm:GetParameter'],
        Resource: { 'Fn::Sub': `${parameter}/plain` },
      },
    ]);
  });

  it('of Fleet become the environment of the writer as well, with the right to read its kubeconfigs', async () => {
    const fleet = { mode: 'write', upstreams: UPSTREAMS };
    const { writer, wdses } = await resolve({ ...GOOD, fleet });
    expect(wdses).toEqual(GOOD.wdses);
    expect(JSON.parse(writer.environment)).toEqual(GOOD.wdses);
    expect(JSON.parse(writer.fleetEnvironment)).toEqual(UPSTREAMS);
    expect(writer.fleetMode).toBe('write');
    expect(writer.statements).toMatchObject([
      { Resource: { 'Fn::Sub': expect.stringContaining('/starfold/wds1') } },
      { Resource: { 'Fn::Sub': expect.stringContaining('/starfold/rancher') } },
    ]);
  });

  it('of Fleet are none, and to compare, if nothing else is said', async () => {
    const none = { fleetEnvironment: '{}', fleetMode: 'compare' };
    expect(await resolve(GOOD)).toMatchObject({ writer: none });
    expect(await resolve({ ...GOOD, fleet: {} })).toMatchObject({ writer: none });
    expect(await resolve({ ...GOOD, fleet: { upstreams: UPSTREAMS } })).toMatchObject({
      writer: { fleetMode: 'compare', fleetEnvironment: JSON.stringify(UPSTREAMS) },
    });
  });

  it('say for a cluster what its kubeconfig may do', async () => {
    const allow = { plainHttp: true, unverifiedTls: true, loopback: true, linkLocal: true };
    const wdses = {
      wds1: { kubeconfig: 'ssm:/starfold/wds1', allow },
      wds2: { kubeconfig: 'ssm:/starfold/wds2', allow: { proxy: 'socks5://proxy.example:1080' } },
    };
    const { writer } = await resolve({ ...GOOD, wdses });
    expect(writer.statements).toHaveLength(2);
    // What is checked here is what the function reads.
    const places = parseKubeconfigLocations(writer.environment);
    expect(places.get('wds1')?.allow).toEqual(allow);
    expect(places.get('wds2')?.allow).toEqual({ proxy: 'socks5://proxy.example:1080' });
  });

  it('become the place of the notifications, and the right to read exactly that', async () => {
    const document = `secretsmanager:${SECRET}`;
    const eventBus = 'arn:aws:events:eu-central-1:111122223333:event-bus/starfold';
    const bus = { Effect: 'Allow', Action: ['events:PutEvents'], Resource: eventBus };
    expect(await resolve({ ...GOOD, notifications: { document, eventBus } })).toMatchObject({
      notified: { bus: eventBus, statements: [{}, bus] },
    });
    expect(await resolve({ ...GOOD, notifications: { document } })).toMatchObject({
      notificationsFile: 'notifications.yml',
      notified: {
        document,
        statements: [
          { Effect: 'Allow', Action: ['secretsmanager:GetSecretValue'], Resource: SECRET },
        ],
      },
    });
    for (const notifications of [undefined, null])
      expect(await resolve({ ...GOOD, notifications })).toMatchObject({
        notificationsFile: 'no-notifications.yml',
      });
  });

  it.each([
    ['cn-north-1', 'aws-cn'],
    ['us-gov-west-1', 'aws-us-gov'],
    ['eusc-de-east-1', 'aws-eusc'],
    ['us-iso-east-1', 'aws-iso'],
    ['us-east-1', 'aws'],
  ])('in %s take an event bus of the partition %s', async (region, partition) => {
    const bus = `arn:${partition}:events:${region}:111122223333:event-bus/starfold`;
    expect(await resolve(withBus(bus, region))).toMatchObject({ notified: { bus } });
  });

  it('name the WDSes whose workload objects are counted', async () => {
    const wdses = { wds1: 'ssm:/starfold/wds1', wds2: 'ssm:/starfold/wds2' };
    expect(await resolve({ ...GOOD, wdses, workloadMetrics: true })).toMatchObject({
      workloadsFile: 'workloads.yml',
      countedWdses: 'wds1,wds2',
    });
    expect(await resolve({ ...GOOD, workloadMetrics: false })).toMatchObject({
      workloadsFile: 'no-workloads.yml',
      countedWdses: '',
    });
  });

  it.each([undefined, null, {}])('need no WDS if there is Fleet: %j', async (wdses) => {
    const { writer } = await resolve({ ...GOOD, wdses, fleet: { upstreams: UPSTREAMS } });
    expect(writer.environment).toBe('{}');
    expect(writer.statements).toHaveLength(1);
  });

  it('give one permission if two clusters have the same kubeconfig', async () => {
    const fleet = { upstreams: { rancher: GOOD.wdses.wds1 } };
    const { writer } = await resolve({ ...GOOD, fleet });
    expect(writer.statements).toHaveLength(1);
  });

  it.each([
    ['is empty', 'alarmEmail: ""\n'],
    ['has no value', 'alarmEmail:\n'],
    ['is not there', ''],
  ])('send no alarms if alarmEmail %s', async (_what, line) => {
    const text = `${stringify({ region: GOOD.region, wdses: GOOD.wdses })}${line}`;
    expect(await resolve(text)).toMatchObject({ alarmEmail: '' });
  });

  it.each([
    [undefined, 'no-api.yml'],
    [null, 'no-api.yml'],
    [false, 'no-api.yml'],
    [true, 'api.yml'],
    [{ readers: 'iam' }, 'api.yml'],
    [{ readers: 'wds' }, 'api.yml'],
  ])('with %j for the HTTP API take what is in %s', async (api, apiFile) => {
    expect(await resolve({ ...GOOD, api })).toMatchObject({ apiFile });
  });

  it.each([
    [true, 'iam', false],
    [{ readers: 'iam' }, 'iam', false],
    [{ readers: 'wds' }, 'wds', VPC],
  ])(
    'with %j for the HTTP API let %s decide which statuses may be read',
    async (api, readers, vpc) => {
      const { statuses } = await resolve({
        ...GOOD,
        fleet: { upstreams: UPSTREAMS },
        api,
        vpc: VPC,
      });
      expect(statuses).toMatchObject({ readers, vpc });
      expect(JSON.stringify(statuses.statements)).not.toContain('rancher');
    },
  );

  it.each([
    [undefined, String(OBJECTS_PER_WEC)],
    [null, String(OBJECTS_PER_WEC)],
    [250, '250'],
  ])('with %j for the objects of a WEC keep %s', async (given, objectsPerWec) => {
    expect(await resolve({ ...GOOD, objectsPerWec: given })).toMatchObject({ objectsPerWec });
  });

  it.each([
    [undefined, {}],
    [null, {}],
    [{}, {}],
    [{ readUnitsPerSecond: 12_000 }, warmed({ ReadUnitsPerSecond: 12_000 })],
    [{ writeUnitsPerSecond: 20_000 }, warmed({ WriteUnitsPerSecond: 20_000 })],
    [
      { readUnitsPerSecond: 60_000, writeUnitsPerSecond: 20_000 },
      warmed({ ReadUnitsPerSecond: 60_000, WriteUnitsPerSecond: 20_000 }),
    ],
  ])('with %j for the warm throughput give the table %j', async (warmThroughput, table) => {
    expect((await resolve({ ...GOOD, warmThroughput })).table).toEqual(table);
  });

  it.each([undefined, null])('put the writer into no VPC with %j for it', async (vpc) => {
    const { writer } = await resolve({ ...GOOD, vpc });
    expect(writer.vpc).toBe(false);
    expect(writer.statements).toHaveLength(1);
  });

  it('put the writer into the VPC that they name', async () => {
    const { writer } = await resolve({ ...GOOD, vpc: VPC });
    expect(writer.vpc).toEqual(VPC);
    expect(writer.statements).toMatchObject([
      { Effect: 'Allow' },
      { Effect: 'Allow', Resource: '*' },
      { Effect: 'Deny', Resource: '*' },
    ]);
  });

  it('that are delivered are in order', async () => {
    expect(await resolveFile('infra/settings.yml')).toMatchObject({ region: 'us-east-1' });
  });

  it.each<[string, unknown, string]>([
    ['empty', '', 'there are no settings in it: write region, wdses'],
    ['a list', ['region'], 'there are no settings in it'],
    ['a text', 'region', 'there are no settings in it'],
    ['no YAML', 'region: [', 'it is not YAML: '],
    ['without a region', { ...GOOD, region: undefined }, 'region: missing: name the region'],
    ['with an empty region', { ...GOOD, region: null }, 'region: null: name the region'],
    ['with a zone for a region', { ...GOOD, region: 'eu-central-1a' }, 'region: "eu-central-1a"'],
    [
      'misspelt',
      { ...GOOD, alarmMail: 'ops@example.com' },
      'alarmMail: there is no such setting: the settings are region, wdses, alarmEmail',
    ],
    [
      'with no address',
      { ...GOOD, alarmEmail: 'ops' },
      'alarmEmail: "ops" is not an address: write',
    ],
    ['with another value for an address', { ...GOOD, alarmEmail: false }, 'alarmEmail: false is'],
    ['with two addresses', { ...GOOD, alarmEmail: 'a@x.org, b@x.org' }, 'is not an address'],
    ['with no objects', { ...GOOD, objectsPerWec: 0 }, 'objectsPerWec: 0: write how many objects'],
    [
      'with a number for the warm throughput',
      { ...GOOD, warmThroughput: 60_000 },
      'warmThroughput: 60000: write readUnitsPerSecond and writeUnitsPerSecond below it',
    ],
    [
      'with reads misspelt',
      { ...GOOD, warmThroughput: { reads: 60_000 } },
      'warmThroughput.reads: there is no such setting: below warmThroughput are readUnitsPerSecond, writeUnitsPerSecond',
    ],
    [
      'with fewer writes than a new table has',
      { ...GOOD, warmThroughput: { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 3_999 } },
      'warmThroughput.writeUnitsPerSecond: 3999: write a whole number from 4000 on',
    ],
    [
      'with a text for reads',
      { ...GOOD, warmThroughput: { readUnitsPerSecond: '60000' } },
      'warmThroughput.readUnitsPerSecond: "60000": write a whole number from 12000 on',
    ],
    [
      'with endless reads',
      { ...GOOD, warmThroughput: { readUnitsPerSecond: Number.POSITIVE_INFINITY } },
      'warmThroughput.readUnitsPerSecond: Infinity: write a whole number from 12000 on',
    ],
    ['with half an object', { ...GOOD, objectsPerWec: 0.5 }, 'objectsPerWec: 0.5: write how many'],
    [
      'with metrics of something',
      { ...GOOD, workloadMetrics: 'yes' },
      'workloadMetrics: "yes": write true for metrics of workload objects',
    ],
    [
      'with a text for notifications',
      { ...GOOD, notifications: 'ssm:/x' },
      'notifications: write document below it',
    ],
    [
      'with other notifications',
      { ...GOOD, notifications: { url: 'x' } },
      'notifications.url: there is no such setting',
    ],
    [
      'with notifications nowhere',
      { ...GOOD, notifications: {} },
      'notifications.document: it is no place',
    ],
    [
      'with the name of an event bus',
      { ...GOOD, notifications: { document: 'ssm:/x', eventBus: 'starfold' } },
      'notifications.eventBus: "starfold" is no event bus: write its whole ARN',
    ],
    [
      'with an event bus of another region',
      withBus('arn:aws:events:us-east-1:111122223333:event-bus/starfold'),
      'is not in the region of the deployment, eu-central-1, and events can only be put on a bus there: name one, with a rule',
    ],
    [
      'with an event bus of another partition',
      withBus('arn:aws-cn:events:eu-central-1:111122223333:event-bus/starfold'),
      'the ARNs of eu-central-1 begin with arn:aws:',
    ],
    [
      'with a key for a place',
      { ...GOOD, notifications: { document: 'whsec_x' } },
      'notifications.document: it is no place',
    ],
    ['with many objects', { ...GOOD, objectsPerWec: 'many' }, 'objectsPerWec: "many": write how'],
    ['without WDSes', { ...GOOD, wdses: undefined }, 'wdses: name at least one WDS'],
    ['with none', { ...GOOD, wdses: {} }, 'wdses: name at least one WDS'],
    ['with a list of WDSes', { ...GOOD, wdses: ['ssm:/a'] }, 'wdses: name at least one WDS'],
    [
      'with a place of another kind',
      { ...GOOD, wdses: { wds1: '/etc/kubeconfig' } },
      'wdses.wds1: "/etc/kubeconfig" is no place',
    ],
    [
      'with a wildcard',
      { ...GOOD, wdses: { wds1: 'ssm:/starfold/*' } },
      'is no place of a kubeconfig',
    ],
    [
      'with the name of a secret',
      { ...GOOD, wdses: { wds1: 'secretsmanager:starfold/wds1' } },
      'with its last six characters',
    ],
    ['with no text', { ...GOOD, wdses: { wds1: 5 } }, 'wdses.wds1: 5 is no place'],
    [
      'with a name that no WDS can have',
      { ...GOOD, wdses: { 'WDS/1': 'ssm:/x' } },
      "wdses.WDS/1: a WDS's name has",
    ],
    [
      'allowing something unknown',
      { ...GOOD, wdses: { wds1: { kubeconfig: 'ssm:/x', allow: { everything: true } } } },
      'wdses.wds1.allow.everything: nothing of that name can be allowed',
    ],
    [
      'allowing with a text',
      { ...GOOD, wdses: { wds1: { kubeconfig: 'ssm:/x', allow: { plainHttp: 'yes' } } } },
      'wdses.wds1.allow.plainHttp: write true, or leave it out',
    ],
    [
      'allowing a list',
      { ...GOOD, wdses: { wds1: { kubeconfig: 'ssm:/x', allow: ['plainHttp'] } } },
      'wdses.wds1.allow: name what is allowed below it',
    ],
    [
      'allowing every proxy',
      { ...GOOD, wdses: { wds1: { kubeconfig: 'ssm:/x', allow: { proxy: true } } } },
      "wdses.wds1.allow.proxy: write the proxy's URL",
    ],
    [
      'showing the password of a proxy',
      {
        ...GOOD,
        wdses: { wds1: { kubeconfig: 'ssm:/x', allow: { proxy: 'http://u:p@proxy:1' } } },
      },
      'without user and password',
    ],
    [
      'saying more of a WDS',
      { ...GOOD, wdses: { wds1: { kubeconfig: 'ssm:/x', mode: 'write' } } },
      'wdses.wds1.mode: there is no such setting: below a WDS are kubeconfig, allow',
    ],
    ['with a text for Fleet', { ...GOOD, fleet: 'compare' }, 'fleet: "compare" says nothing of'],
    [
      'with something else for Fleet',
      { ...GOOD, fleet: { clusters: UPSTREAMS } },
      'fleet.clusters: there is no such setting: below fleet are mode, upstreams',
    ],
    [
      'with another mode',
      { ...GOOD, fleet: { mode: 'read', upstreams: UPSTREAMS } },
      'fleet.mode: "read" is no mode: the modes are write and compare',
    ],
    [
      'with a mode alone',
      { ...GOOD, fleet: { mode: 'write' } },
      'fleet.upstreams: name at least one management cluster',
    ],
    [
      'with no place for a management cluster',
      { ...GOOD, fleet: { upstreams: { rancher: '/etc/kubeconfig' } } },
      'fleet.upstreams.rancher: "/etc/kubeconfig" is no place',
    ],
    ['with a text for the HTTP API', { ...GOOD, api: 'yes' }, 'api: "yes": write true for'],
    ['with an unknown setting of the HTTP API', { ...GOOD, api: { users: 'wds' } }, 'api.users: '],
    [
      'with the WDS as the one that decides, and without any',
      { ...GOOD, wdses: {}, fleet: { upstreams: UPSTREAMS }, api: { readers: 'wds' } },
      'api.readers: wds: there is no WDS',
    ],
    ['without readers', { ...GOOD, api: {} }, 'api.readers: missing: write iam or wds'],
    ['with unknown readers', { ...GOOD, api: { readers: 'all' } }, 'api.readers: "all": write iam'],
    [
      'with a text for the VPC',
      { ...GOOD, vpc: 'vpc-0a1b2c3d' },
      'vpc: "vpc-0a1b2c3d" says nothing',
    ],
    [
      'with something else for the VPC',
      { ...GOOD, vpc: { ...VPC, id: 'vpc-0a1b2c3d' } },
      'vpc.id: there is no such setting: below vpc are subnetIds, securityGroupIds',
    ],
    [
      'with a VPC without subnets',
      { ...GOOD, vpc: { securityGroupIds: VPC.securityGroupIds } },
      'vpc.subnetIds: missing: list 1 to 16 of the VPC, such as [subnet-',
    ],
    [
      'with no security group',
      { ...GOOD, vpc: { ...VPC, securityGroupIds: [] } },
      'vpc.securityGroupIds: []: list 1 to 5 of the VPC, such as [sg-',
    ],
    [
      'with more security groups than Lambda takes',
      { ...GOOD, vpc: { ...VPC, securityGroupIds: Array(6).fill('sg-0a1b2c3d') } },
      'list 1 to 5 of the VPC',
    ],
    [
      'with the name of a subnet',
      { ...GOOD, vpc: { ...VPC, subnetIds: ['private-a'] } },
      'vpc.subnetIds: "private-a" is none: write IDs such as subnet-',
    ],
    [
      'with a number for a security group',
      { ...GOOD, vpc: { ...VPC, securityGroupIds: [5] } },
      'vpc.securityGroupIds: 5 is none',
    ],
    [
      'with WDSes that are wrong beside Fleet',
      { ...GOOD, wdses: { wds1: 5 }, fleet: { upstreams: UPSTREAMS } },
      'wdses.wds1: 5 is no place',
    ],
  ])('are rejected in one line with the remedy if they are %s', async (_what, given, message) => {
    const error = await resolve(given).catch((thrown: unknown) => thrown);
    expect(error).toHaveProperty('message', expect.stringContaining(message));
    expect(error).toHaveProperty('message', expect.stringContaining(`${file}: `));
    // The framework prints the stack.
    expect(error).toHaveProperty('stack', expect.not.stringContaining('\n'));
  });

  it('are searched for if they are configured', async () => {
    await expect(resolveFile(join(folder, 'other.yml'))).rejects.toThrow(
      /other\.yml: there is no such file: write .* or name another one \(--param settings=PATH\)/,
    );
    await expect(resolveFile(folder)).rejects.toThrow('it cannot be read (EISDIR)');
  });
});

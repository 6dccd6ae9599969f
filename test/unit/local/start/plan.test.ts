import { expect, test } from 'vitest';
import {
  CONSOLE_BESIDE_FLEET,
  givenAlone,
  givenTwice,
  httpGivenAlone,
  NO_CERTIFICATE,
  NO_KEY,
  NO_TLS_OF_API,
  NO_TOKENS,
  NO_WDS,
  NO_WEC,
  noContext,
  notAName,
  notAnAddress,
  notAResource,
  onlyForDemo,
  openDemoApi,
  openFleetApi,
  ownWec,
} from '#local/start/option-messages.ts';
import { planStart, type StartOptions } from '#local/start/plan.ts';
import { isLoopback } from '#local/start/plan-intake.ts';

test('without options it is the demo, on any free ports, in about 24 s', () => {
  expect(planStart({})).toEqual({
    ok: true,
    plan: {
      type: 'demo',
      port: 0,
      speed: 4,
      exit: false,
      statusApi: { host: '127.0.0.1', port: 0 },
    },
  });
});

test('the demo that ends by itself serves its page only where that is asked for', () => {
  expect(planStart({ exit: true })).toMatchObject({ plan: { statusApi: undefined } });
  expect(planStart({ exit: true, api: '8081' })).toMatchObject({
    plan: { statusApi: { host: '127.0.0.1', port: 8_081 } },
  });
});

test('contexts are clusters, under a different name if one is given', () => {
  const planning = planStart({
    kubeconfig: 'f',
    wds: 'hub=kind-hub',
    wec: ['edge1', 'edge2=kind-edge2'],
    selector: 'app=web',
    resource: ['deployments.apps/v1', 'services/v1', 'widgets.example.com/v1beta1'],
  });
  expect(planning).toEqual({
    ok: true,
    plan: {
      type: 'clusters',
      kubeconfig: 'f',
      wds: { name: 'hub', context: 'kind-hub' },
      wecs: [
        { name: 'edge1', context: 'edge1' },
        { name: 'edge2', context: 'kind-edge2' },
      ],
      selector: 'app=web',
      resources: [
        { group: 'apps', version: 'v1', resource: 'deployments' },
        { group: '', version: 'v1', resource: 'services' },
        { group: 'example.com', version: 'v1beta1', resource: 'widgets' },
      ],
      resolveBindings: false,
      inventory: undefined,
    },
  });
});

const CLUSTERS = { wds: 'a', wec: ['b'] } as const;
const CLUSTER_OPTIONS = '--wds and --wec';

test('Bindings follow the policies if this is requested, with the inventory of a different cluster', () => {
  const planning = planStart({ ...CLUSTERS, resolveBindings: true, inventory: 'its=kind-its' });
  expect(planning).toMatchObject({
    plan: { resolveBindings: true, inventory: { name: 'its', context: 'kind-its' } },
  });
});

test.each([
  ['8080', { host: '127.0.0.1', port: 8080 }],
  ['0', { host: '127.0.0.1', port: 0 }],
  ['0.0.0.0:8443', { host: '0.0.0.0', port: 8443 }],
  ['starfold.example.com:65535', { host: 'starfold.example.com', port: 65_535 }],
  ['[::1]:8080', { host: '::1', port: 8080 }],
])('--listen %s takes events by HTTP, and no WEC need be named', (listen, place) => {
  const planning = planStart({ wds: 'a', listen, tokens: 't' });
  expect(planning).toMatchObject({ plan: { wecs: [], intake: { ...place, tokensFile: 't' } } });
});

test('events by HTTP are encrypted with a certificate and its key', () => {
  const options = { ...CLUSTERS, listen: '1', tokens: 't', tlsCert: 'c', tlsKey: 'k' };
  expect(planStart(options)).toMatchObject({
    plan: { wecs: [{ name: 'b' }], intake: { tls: { certFile: 'c', keyFile: 'k' } } },
  });
});

test('a management cluster of Fleet needs no WDS, and is compared unless it is to be written', () => {
  expect(planStart({ fleet: 'rancher1=kind-rancher', kubeconfig: 'f' })).toEqual({
    ok: true,
    plan: {
      type: 'clusters',
      kubeconfig: 'f',
      wds: undefined,
      wecs: [],
      fleet: {
        cluster: { name: 'rancher1', context: 'kind-rancher' },
        mode: 'compare',
        api: undefined,
      },
      selector: undefined,
      resources: undefined,
      resolveBindings: false,
      inventory: undefined,
      intake: undefined,
      statusApi: undefined,
    },
  });
  expect(planStart({ ...CLUSTERS, fleet: 'c', fleetMode: 'write' })).toMatchObject({
    plan: { wds: { name: 'a' }, wecs: [{ name: 'b' }], fleet: { mode: 'write' } },
  });
});

test.each([
  ['8081', { host: '127.0.0.1', port: 8081 }],
  ['localhost:0', { host: 'localhost', port: 0 }],
  ['[::1]:8081', { host: '::1', port: 8081 }],
])('--api %s serves what is known of Fleet on this machine', (api, place) => {
  expect(planStart({ fleet: 'c', api })).toMatchObject({ plan: { fleet: { api: place } } });
});

test('--api serves what the WECs report, with a certificate and its key', () => {
  const options = { ...CLUSTERS, api: '0.0.0.0:8443', tlsCert: 'c', tlsKey: 'k' };
  const statusApi = { host: '0.0.0.0', port: 8443, tls: { certFile: 'c', keyFile: 'k' } };
  expect(planStart(options)).toMatchObject({ plan: { statusApi, intake: undefined } });
  const both = { ...options, listen: '1', tokens: 't' };
  const tls = { certFile: 'c', keyFile: 'k' };
  expect(planStart(both)).toMatchObject({ plan: { statusApi: { tls }, intake: { tls } } });
});

test('--api serves what the WECs of the demo report, on this machine', () => {
  expect(planStart({ api: '8081', speed: 2 })).toMatchObject({
    plan: { type: 'demo', speed: 2, statusApi: { host: '127.0.0.1', port: 8081 } },
  });
});

test.each([
  ['127.0.0.1', true],
  ['127.1.2.3', true],
  ['localhost', true],
  ['::1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['127.0.0.1.example.com', false],
])('the host %s is reached from this machine alone: %s', (host, alone) => {
  expect(isLoopback(host)).toBe(alone);
});

const OF_LISTEN = { host: '0.0.0.0', ipv6: '::', port: 8443 } as const;
const OF_API = { ...OF_LISTEN, host: '127.0.0.1' } as const;
const OF_FLEET = { host: '127.0.0.1', ipv6: '::1', port: 8081 } as const;
const ARN = 'arn:aws:eks:eu-central-1:111122223333:cluster/b';

test.each<[fault: string, options: StartOptions, says: string]>([
  ['events without tokens', { wds: 'a', listen: '8080' }, NO_TOKENS],
  ['tokens for nothing', { ...CLUSTERS, tokens: 't' }, givenAlone('--tokens', '--listen')],
  [
    'a certificate for nothing',
    { ...CLUSTERS, tlsCert: 'c' },
    givenAlone('--tls-cert', '--listen or --api'),
  ],
  ['a key for nothing', { ...CLUSTERS, tlsKey: 'k' }, givenAlone('--tls-key', '--listen or --api')],
  ['a key alone', { wds: 'a', listen: '1', tokens: 't', tlsKey: 'k' }, NO_CERTIFICATE],
  ['a certificate alone', { wds: 'a', listen: '1', tokens: 't', tlsCert: 'c' }, NO_KEY],
  ['events for the demo', { listen: '8080', tokens: 't' }, NO_WDS],
  [
    'no port',
    { wds: 'a', listen: 'host', tokens: 't' },
    notAnAddress('--listen', 'host', OF_LISTEN),
  ],
  [
    'too high a port',
    { wds: 'a', listen: '65536', tokens: 't' },
    notAnAddress('--listen', '65536', OF_LISTEN),
  ],
  [
    'a URL',
    { wds: 'a', listen: 'http://h:1', tokens: 't' },
    notAnAddress('--listen', 'http://h:1', OF_LISTEN),
  ],
  ['a WEC without a WDS', { wec: ['b'] }, NO_WDS],
  ['a kubeconfig alone', { kubeconfig: 'f' }, NO_WDS],
  ['a WDS without a WEC', { wds: 'a' }, NO_WEC],
  ['one context as both', { wds: 'x=a', wec: ['y=a'] }, ownWec('a')],
  ['one WEC twice', { wds: 'a', wec: ['b', 'b'] }, givenTwice('b')],
  ['two WECs of one name', { wds: 'a', wec: ['x=b', 'x=c'] }, givenTwice('x')],
  ['a WEC with the name of the WDS', { wds: 'a', wec: ['a=c'] }, givenTwice('a')],
  ['an empty context', { wds: 'a=', wec: ['b'] }, noContext({ fleet: false })],
  ['a context that cannot be a name', { wds: 'a', wec: [ARN] }, notAName(ARN, ARN)],
  ['a speed for real clusters', { ...CLUSTERS, speed: 2 }, onlyForDemo('--speed', CLUSTER_OPTIONS)],
  ['an end for real clusters', { ...CLUSTERS, exit: true }, onlyForDemo('--exit', CLUSTER_OPTIONS)],
  ['ports for real clusters', { ...CLUSTERS, port: 8080 }, onlyForDemo('--port', CLUSTER_OPTIONS)],
  [
    'a mode for no Fleet',
    { ...CLUSTERS, fleetMode: 'write' },
    givenAlone('--fleet-mode', '--fleet'),
  ],
  ['an API without TLS', { ...CLUSTERS, api: '8081' }, NO_TLS_OF_API],
  ['an API without a key', { ...CLUSTERS, api: '8081', tlsCert: 'c' }, NO_TLS_OF_API],
  [
    'an API of a WDS at no address',
    { ...CLUSTERS, api: 'here' },
    notAnAddress('--api', 'here', OF_API),
  ],
  ['an API of the demo for others', { api: '0.0.0.0:1' }, openDemoApi('0.0.0.0:1', 1)],
  ['an API of the demo at no address', { api: 'here' }, notAnAddress('--api', 'here', OF_API)],
  ['an API for others', { fleet: 'c', api: '0.0.0.0:1' }, openFleetApi('0.0.0.0:1', 1)],
  ['an API at no address', { fleet: 'c', api: 'here' }, notAnAddress('--api', 'here', OF_FLEET)],
  ['a WEC beside Fleet alone', { fleet: 'c', wec: ['b'] }, givenAlone('--wec', '--wds')],
  [
    'events beside Fleet alone',
    { fleet: 'c', listen: '1', tokens: 't' },
    httpGivenAlone('--listen', '--wds'),
  ],
  ['events of Fleet', { fleet: 'c', listen: '1' }, httpGivenAlone('--listen', '--wds')],
  ['tokens beside Fleet alone', { fleet: 'c', tokens: 't' }, httpGivenAlone('--tokens', '--wds')],
  [
    'policies beside Fleet alone',
    { fleet: 'c', resolveBindings: true },
    givenAlone('--resolve-bindings', '--wds'),
  ],
  ['a speed for Fleet', { fleet: 'c', speed: 2 }, onlyForDemo('--speed', '--fleet')],
  ['Fleet with the name of a WEC', { ...CLUSTERS, fleet: 'b=c' }, givenTwice('b')],
  ['Fleet without a context', { fleet: 'a=' }, noContext({ fleet: true })],
  ['a resource without version', { ...CLUSTERS, resource: ['pods'] }, notAResource('pods')],
  ['a page without an API', { ...CLUSTERS, console: true }, givenAlone('--console', '--api')],
  ['a page of the demo', { console: true }, NO_WDS],
  ['a page of Fleet', { fleet: 'c', console: true }, givenAlone('--console', '--wds')],
  [
    'a page beside Fleet',
    { ...CLUSTERS, fleet: 'c', api: '8081', console: true },
    CONSOLE_BESIDE_FLEET,
  ],
])('%s is rejected with the remedy', (_fault, options, says) => {
  expect(planStart(options)).toEqual({ ok: false, fault: says });
});

test.each([
  ['9090', { host: '127.0.0.1', port: 9090 }],
  ['[::]:0', { host: '::', port: 0 }],
])('--metrics %s serves the metrics of the demo and of clusters', (metrics, place) => {
  expect(planStart({ metrics })).toMatchObject({ plan: { type: 'demo', metrics: place } });
  expect(planStart({ ...CLUSTERS, metrics })).toMatchObject({
    plan: { type: 'clusters', metrics: place },
  });
});

test('--metrics needs an address', () => {
  const fault = '--metrics x is not an address: write it as 9090, 127.0.0.1:9090 or [::]:9090';
  expect(planStart({ metrics: 'x' })).toEqual({ ok: false, fault });
});

test('the page is served with the API of a WDS only if that is asked for', () => {
  const api = { api: '8443', tlsCert: 'c', tlsKey: 'k' };
  const tls = { certFile: 'c', keyFile: 'k' };
  expect(planStart({ ...CLUSTERS, ...api })).toMatchObject({
    plan: { statusApi: { host: '127.0.0.1', port: 8_443, tls } },
  });
  expect(planStart({ ...CLUSTERS, ...api })).not.toHaveProperty('plan.statusApi.page');
  expect(planStart({ ...CLUSTERS, ...api, console: true })).toHaveProperty(
    'plan.statusApi.page',
    true,
  );
});

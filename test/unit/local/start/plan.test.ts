import { expect, test } from 'vitest';
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

test.each<[fault: string, options: StartOptions, says: RegExp]>([
  [
    'events without tokens',
    { wds: 'a', listen: '8080' },
    /--tokens is missing: .*wec\/cluster1: TOKEN/,
  ],
  ['tokens for nothing', { ...CLUSTERS, tokens: 't' }, /--tokens is for --listen/],
  [
    'a certificate for nothing',
    { ...CLUSTERS, tlsCert: 'c' },
    /--tls-cert is for --listen or --api/,
  ],
  ['a key for nothing', { ...CLUSTERS, tlsKey: 'k' }, /--tls-key is for --listen or --api/],
  ['a key alone', { wds: 'a', listen: '1', tokens: 't', tlsKey: 'k' }, /--tls-cert is missing/],
  [
    'a certificate alone',
    { wds: 'a', listen: '1', tokens: 't', tlsCert: 'c' },
    /--tls-key is miss/,
  ],
  ['events for the demo', { listen: '8080', tokens: 't' }, /--wds is missing/],
  ['no port', { wds: 'a', listen: 'host', tokens: 't' }, /--listen host is not an address: .*8443/],
  [
    'too high a port',
    { wds: 'a', listen: '65536', tokens: 't' },
    /--listen 65536 is not an address/,
  ],
  [
    'a URL',
    { wds: 'a', listen: 'http://h:1', tokens: 't' },
    /--listen http:\/\/h:1 is not an address/,
  ],
  ['a WEC without a WDS', { wec: ['b'] }, /--wds is missing/],
  ['a kubeconfig alone', { kubeconfig: 'f' }, /--wds is missing/],
  ['a WDS without a WEC', { wds: 'a' }, /--wec is missing/],
  ['one context as both', { wds: 'x=a', wec: ['y=a'] }, /context a is given as --wds and as --wec/],
  ['one WEC twice', { wds: 'a', wec: ['b', 'b'] }, /b is given twice/],
  ['two WECs of one name', { wds: 'a', wec: ['x=b', 'x=c'] }, /x is given twice/],
  ['a WEC with the name of the WDS', { wds: 'a', wec: ['a=c'] }, /a is given twice/],
  ['an empty context', { wds: 'a=', wec: ['b'] }, /a context has no name/],
  [
    'a context that cannot be a name',
    { wds: 'a', wec: ['arn:aws:eks:eu-central-1:111122223333:cluster/b'] },
    /cluster\/b cannot be the name of a cluster .*: write NAME=arn:aws:eks:.*cluster\/b/,
  ],
  ['a speed for real clusters', { ...CLUSTERS, speed: 2 }, /--speed is for the demo/],
  ['an end for real clusters', { ...CLUSTERS, exit: true }, /--exit is for the demo/],
  ['ports for real clusters', { ...CLUSTERS, port: 8080 }, /--port is for the demo/],
  ['a mode for no Fleet', { ...CLUSTERS, fleetMode: 'write' }, /--fleet-mode is for --fleet/],
  ['an API without TLS', { ...CLUSTERS, api: '8081' }, /--api needs --tls-cert and --tls-key/],
  [
    'an API without a key',
    { ...CLUSTERS, api: '8081', tlsCert: 'c' },
    /--api needs --tls-cert and/,
  ],
  ['an API of a WDS at no address', { ...CLUSTERS, api: 'here' }, /--api here is not an address/],
  ['an API of the demo for others', { api: '0.0.0.0:1' }, /open to others.*127\.0\.0\.1:1/],
  ['an API of the demo at no address', { api: 'here' }, /--api here is not an address/],
  ['an API for others', { fleet: 'c', api: '0.0.0.0:1' }, /open to others.*127\.0\.0\.1:1/],
  ['an API at no address', { fleet: 'c', api: 'here' }, /--api here is not an address: .*8081/],
  ['a WEC beside Fleet alone', { fleet: 'c', wec: ['b'] }, /--wec is for --wds/],
  ['events beside Fleet alone', { fleet: 'c', listen: '1', tokens: 't' }, /--listen is for --wds/],
  ['events of Fleet', { fleet: 'c', listen: '1' }, /; the management cluster .* from here/],
  ['tokens beside Fleet alone', { fleet: 'c', tokens: 't' }, /--tokens is for --wds/],
  ['policies beside Fleet alone', { fleet: 'c', resolveBindings: true }, /--resolve-bindings is/],
  ['a speed for Fleet', { fleet: 'c', speed: 2 }, /--speed is for the demo: .* --fleet$/],
  ['Fleet with the name of a WEC', { ...CLUSTERS, fleet: 'b=c' }, /b is given twice/],
  ['Fleet without a context', { fleet: 'a=' }, /--fleet CONTEXT/],
  [
    'a resource without version',
    { ...CLUSTERS, resource: ['pods'] },
    /--resource pods .* services\/v1/,
  ],
])('%s is rejected with the remedy', (_fault, options, says) => {
  const planning = planStart(options);
  expect(planning.ok ? '' : planning.fault).toMatch(says);
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

test.each<[StartOptions, string]>([
  [{ ...CLUSTERS, console: true }, '--console is for --api'],
  [{ console: true }, '--wds is missing'],
  [{ fleet: 'rancher', console: true }, '--console is for --wds'],
  [
    { ...CLUSTERS, fleet: 'rancher', api: '8081', console: true },
    '--console is for --api of a WDS',
  ],
])('--console without what it needs is an error: %o', (options, fault) => {
  const planning = planStart(options);
  expect(planning).toMatchObject({ ok: false });
  expect(planning.ok ? '' : planning.fault).toContain(fault);
});

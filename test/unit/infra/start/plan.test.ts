import { expect, test } from 'vitest';
import { planStart, type StartOptions } from '#infra/local/start/plan.ts';

test('without options it is the demo, on any free ports, in about 24 s', () => {
  expect(planStart({})).toEqual({
    ok: true,
    plan: { type: 'demo', port: 0, speed: 4, exit: false },
  });
});

test('contexts stand for clusters, under another name where one is given', () => {
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

test('Bindings follow the policies where that is asked for, with the inventory of another cluster', () => {
  const planning = planStart({ ...CLUSTERS, resolveBindings: true, inventory: 'its=kind-its' });
  expect(planning).toMatchObject({
    plan: { resolveBindings: true, inventory: { name: 'its', context: 'kind-its' } },
  });
});

test.each<[fault: string, options: StartOptions, says: RegExp]>([
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
  ['an inventory that nobody reads', { ...CLUSTERS, inventory: 'its' }, /--inventory is for --res/],
  ['ports for real clusters', { ...CLUSTERS, port: 8080 }, /--port is for the demo/],
  [
    'a resource without version',
    { ...CLUSTERS, resource: ['pods'] },
    /--resource pods .* services\/v1/,
  ],
])('%s is refused with what to do', (_fault, options, says) => {
  const planning = planStart(options);
  expect(planning.ok ? '' : planning.fault).toMatch(says);
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ForwarderSource } from '#functions/event-forwarder/forwarder-options.ts';
import { ApiForbiddenError, ApiNotFoundError, ApiUnavailableError } from '#shared/errors.ts';
import { anObject, ForwarderBench } from './forwarder-bench.ts';

const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const WIDGETS = { group: 'example.com', version: 'v1', resource: 'widgets' };
const DEFINITIONS = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
};
const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' };
const WITHOUT_STATUS = [
  { group: '', version: 'v1', resource: 'configmaps' },
  { group: '', version: 'v1', resource: 'secrets' },
  { group: '', version: 'v1', resource: 'serviceaccounts' },
  { ...RBAC, resource: 'roles' },
  { ...RBAC, resource: 'rolebindings' },
  { ...RBAC, resource: 'clusterroles' },
  { ...RBAC, resource: 'clusterrolebindings' },
];
const SELECTED: ForwarderSource = {
  type: 'wec',
  name: 'edge-1',
  wds: 'wds1',
  labelSelector: 'app=shop',
};
const A_FEW_SECONDS = 10_000;

let bench: ForwarderBench;

beforeEach(() => {
  bench = new ForwarderBench();
  bench.serve(DEPLOYMENTS, DEFINITIONS);
  bench.cluster.put(DEPLOYMENTS, anObject('web'));
});

afterEach(async () => {
  await bench.stop();
});

function discoveries(): number {
  return bench.cluster.calls.filter((call) => call === 'discover').length;
}

function define(): void {
  bench.cluster.put(DEFINITIONS, anObject('widgets.example.com', {}, ''));
}

describe('a forwarder of what a WEC has with a label', () => {
  it('follows a custom resource within seconds of its definition, although it is served a moment later', async () => {
    bench.start(SELECTED);
    await bench.said(A_FEW_SECONDS);
    define();
    await bench.time.advance(2000);
    bench.serve(WIDGETS);
    bench.cluster.put(WIDGETS, anObject('one'));
    expect(await bench.said(A_FEW_SECONDS)).toContain('edge-1 widgets/one!');
  });

  it('does not follow a custom resource any more within seconds of the end of its definition', async () => {
    bench.serve(WIDGETS);
    define();
    bench.cluster.put(WIDGETS, anObject('one'));
    bench.start(SELECTED);
    expect(await bench.said(A_FEW_SECONDS)).toContain('edge-1 widgets/one!');
    bench.cluster.remove(DEFINITIONS, '/widgets.example.com');
    bench.cluster.unserve(WIDGETS);
    expect(await bench.said(A_FEW_SECONDS)).toContain('edge-1 widgets/one-');
    expect(bench.followed()).not.toContain('widgets.example.com/v1');
    const { length } = bench.cluster.calls.filter((call) => call.includes('widgets'));
    await bench.time.advance(60 * 60_000);
    expect(bench.cluster.calls.filter((call) => call.includes('widgets'))).toHaveLength(length);
  });

  it('finds them some minutes later where definitions may not be read, and waits for nothing else', async () => {
    bench.cluster.refuse(DEFINITIONS, new ApiForbiddenError('list', 'RBAC'));
    bench.start(SELECTED);
    await bench.time.advance(1000);
    bench.serve(WIDGETS);
    define();
    bench.cluster.put(WIDGETS, anObject('one'));
    expect(await bench.said(6 * 60_000)).toEqual(
      expect.arrayContaining(['edge-1 deployments/web!', 'edge-1 snapshot', 'edge-1 widgets/one!']),
    );
  });

  it('looks no more than once a second while definitions change all the time', async () => {
    bench.start(SELECTED);
    await bench.said(60_000);
    const before = discoveries();
    for (let tenths = 0; tenths < 600; tenths += 1) {
      define();
      await bench.time.advance(100);
    }
    expect(discoveries() - before).toBeLessThanOrEqual(61);
    expect(discoveries() - before).toBeGreaterThan(5);
  });

  it('reads no more of definitions than their metadata, since their schemas are large', async () => {
    const read: unknown[] = [];
    const list = bench.cluster.list.bind(bench.cluster);
    bench.cluster.list = (resource, selection) => {
      if (resource.resource === DEFINITIONS.resource && selection.labelSelector === undefined)
        read.push(selection);
      return list(resource, selection);
    };
    bench.start(SELECTED);
    await bench.said();
    expect(read).toMatchObject([{ metadataOnly: true }]);
  });

  it('looks every five minutes when nothing happens', async () => {
    bench.start(SELECTED);
    await bench.said(60_000);
    const before = discoveries();
    await bench.time.advance(60 * 60_000);
    expect(discoveries() - before).toBe(12);
  });

  it('never lists what has no status', async () => {
    bench.serve(...WITHOUT_STATUS);
    for (const resource of WITHOUT_STATUS) bench.cluster.put(resource, anObject('x'));
    bench.start(SELECTED);
    expect(await bench.said(20 * 60_000)).toEqual(['edge-1 deployments/web!', 'edge-1 snapshot']);
    for (const { group, resource } of WITHOUT_STATUS)
      expect(bench.cluster.calls).not.toContain(`list ${group}/${resource}`);
  });

  it('tells of what it is told to by name, with or without a status', async () => {
    const resources = WITHOUT_STATUS.slice(0, 1);
    bench.serve(...resources);
    for (const resource of resources) bench.cluster.put(resource, anObject('x'));
    bench.start({ ...SELECTED, resources });
    expect(await bench.said()).toEqual(['edge-1 configmaps/x!', 'edge-1 snapshot']);
    expect(discoveries()).toBe(0);
  });

  it('keeps what it knows, and what it follows, while the cluster does not say what it serves', async () => {
    bench.start(SELECTED);
    await bench.said(A_FEW_SECONDS);
    bench.cluster.discover = async () => {
      throw new ApiUnavailableError('discover', 'down');
    };
    expect(await bench.said(60 * 60_000)).toEqual([]);
    expect(bench.state).toMatchObject({ connected: true, objects: 1 });
    expect(bench.state.sourceError).toContain('down');
    bench.cluster.put(DEPLOYMENTS, anObject('api'));
    expect(await bench.said()).toEqual(['edge-1 deployments/api!']);
  });

  it('goes on where one resource of many may not be read, and tells of it when it may', async () => {
    bench.serve(WIDGETS);
    bench.cluster.put(WIDGETS, anObject('one'));
    bench.cluster.refuse(WIDGETS, new ApiForbiddenError('list', 'RBAC'));
    bench.start(SELECTED);
    expect(await bench.said(2 * 60_000)).toEqual(['edge-1 deployments/web!', 'edge-1 snapshot']);
    bench.cluster.refuse(WIDGETS, undefined);
    expect(await bench.said(5 * 60_000)).toEqual(['edge-1 widgets/one!']);
  });
});

it('a periodic resync ends no snapshot while one of the resources cannot be listed', async () => {
  const resources = [DEPLOYMENTS, WIDGETS];
  bench.serve(WIDGETS);
  bench.cluster.put(WIDGETS, anObject('one'));
  const config = { resyncMs: 60 * 60_000 };
  bench.start({ type: 'wec', name: 'edge-1', wds: 'wds1', resources }, { config });
  await bench.said(59 * 60_000);
  bench.cluster.refuse(WIDGETS, new ApiUnavailableError('list', 'down'));
  expect(await bench.said(30 * 60_000)).toEqual(['edge-1 deployments/web!']);
  bench.cluster.refuse(WIDGETS, undefined);
  expect(await bench.said(60_000)).toEqual(['edge-1 widgets/one!', 'edge-1 snapshot']);
});

describe('another version of a resource', () => {
  it('takes nothing for gone when a resource is served in another version', async () => {
    bench.serve(WIDGETS);
    bench.cluster.put(WIDGETS, anObject('one'));
    bench.cluster.put(WIDGETS, anObject('two'));
    bench.start(SELECTED);
    await bench.said(A_FEW_SECONDS);
    bench.serve({ ...WIDGETS, version: 'v2' });
    define();
    bench.cluster.remove(WIDGETS, 'default/two');
    const said = await bench.said(A_FEW_SECONDS);
    expect(said.filter((text) => text.startsWith('edge-1 widgets/'))).toEqual([
      'edge-1 widgets/two-',
    ]);
    expect(bench.followed()).toContain('widgets.example.com/v2');
    expect(bench.followed()).not.toContain('widgets.example.com/v1');
  });
});

describe('an answer that a resource is not served', () => {
  const NOT_FOUND = new ApiNotFoundError('list', 'default backend - 404');

  it('is not believed while discovery says otherwise, so a proxy without a server deletes nothing', async () => {
    bench.start({ ...SELECTED, resources: [DEPLOYMENTS] });
    await bench.said();
    bench.cluster.refuse(DEPLOYMENTS, NOT_FOUND);
    bench.cluster.disconnect(NOT_FOUND, DEPLOYMENTS);
    expect(await bench.said(60 * 60_000)).toEqual([]);
    const state = bench.state.resources.get('deployments.apps/v1');
    expect(state).toMatchObject({ phase: 'waiting', error: expect.stringContaining('404') });
    bench.cluster.refuse(DEPLOYMENTS, undefined);
    bench.cluster.put(DEPLOYMENTS, anObject('web', { status: { n: 2 } }));
    expect(await bench.said(60_000)).toEqual(['edge-1 deployments/web']);
  });

  it('is not believed while discovery does not answer', async () => {
    bench.start({ ...SELECTED, resources: [DEPLOYMENTS] });
    await bench.said();
    bench.cluster.discover = async () => {
      throw new ApiUnavailableError('discover', 'default backend - 404');
    };
    bench.cluster.unserve(DEPLOYMENTS);
    expect(await bench.said(60 * 60_000)).toEqual([]);
  });
});

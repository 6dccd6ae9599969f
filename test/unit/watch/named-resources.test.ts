import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import { ApiUnavailableError } from '#shared/errors.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import {
  MAX_NAMED_RESOURCES,
  NAMED_FAULTS,
  type NamedOptions,
  NamedResources,
} from '#shared/watch/named-resources.ts';
import { FakeCluster } from '#test/fakes/fake-cluster.ts';
import { VirtualTime } from '#test/fakes/virtual-time.ts';

const THINGS = { group: 'example.com', version: 'v1', resource: 'things' };
const OTHERS = { group: 'example.com', version: 'v1', resource: 'others' };
const MINUTE = 60_000;

let cluster: FakeCluster;
let time: VirtualTime;
let names: readonly Resource[] | undefined;
let lingers: Pick<NamedOptions, 'lingers'>;
let told: string[];
let stopping: AbortController;
let named: NamedResources;
let ended: Promise<void>;

function serve(resource: Resource, otherVersions: readonly string[] = []): void {
  const info = { kind: 'Any', namespaced: true, statusSubresource: true };
  cluster.serve({ ...resource, ...info, otherVersions });
}

function object(name: string): JsonObject {
  return { kind: 'Any', metadata: { namespace: 'default', name } };
}

function start(): void {
  named = new NamedResources(
    { api: cluster, sleep: time.sleep, random: () => 0.5, onProgress: () => undefined },
    {
      names: () => names,
      always: [],
      ...lingers,
      onReflection: (resource, reflection) => {
        if (reflection.type !== 'synced')
          told.push(`${reflection.type} ${resource.resource}${reflection.key}`);
      },
    },
  );
  ended = named.run(stopping.signal);
}

function name(...resources: readonly Resource[]): void {
  names = resources;
  named.change();
}

function calls(verb: string): number {
  return cluster.calls.filter((call) => call.startsWith(verb)).length;
}

function followed(): readonly string[] {
  return [...named.reflectors.states().keys()];
}

function nameless(count: number, of = 'g'): readonly Resource[] {
  return Array.from({ length: count }, (_, index) => ({
    group: `${of}${index}.example.com`,
    version: 'v1',
    resource: 'things',
  }));
}

beforeEach(() => {
  cluster = new FakeCluster();
  time = new VirtualTime();
  names = undefined;
  lingers = {};
  told = [];
  stopping = new AbortController();
  serve(THINGS);
  cluster.put(THINGS, object('a'));
});

afterEach(async () => {
  stopping.abort();
  await time.settle();
  await ended;
});

describe('resources that are named', () => {
  it('are not complete before it is known what is named, and what is served', async () => {
    cluster.failure = new ApiUnavailableError('discover', 'down');
    start();
    await time.advance(MINUTE);
    name(THINGS);
    await time.advance(MINUTE);
    expect(named.complete()).toBe(false);
    expect(named.error()).toContain('down');
    cluster.failure = undefined;
    await time.advance(MINUTE);
    expect(named.complete()).toBe(true);
    expect(named.error()).toBeUndefined();
    expect(told).toEqual(['added thingsdefault/a']);
  });

  it('are not switched by a name that is not served, nor by one that is', async () => {
    serve(THINGS, ['v2']);
    start();
    name({ ...THINGS, version: 'v2' });
    await time.advance(1000);
    for (const version of ['v9', 'v1', 'v0']) {
      name({ ...THINGS, version });
      await time.advance(2000);
      expect(followed()).toEqual(['things.example.com/v2']);
    }
    expect(told).toEqual(['added thingsdefault/a']);
    expect(calls('list')).toBe(1);
    expect(named.problems()).toEqual([
      `things.example.com/v0 is named: ${NAMED_FAULTS.misnamed('things.example.com/v2')}`,
    ]);
  });

  it('count as empty when two answers have left them out, and come when they are served', async () => {
    start();
    name(OTHERS);
    await time.settle();
    expect(named.complete()).toBe(false);
    await time.advance(1000);
    expect(named.complete()).toBe(true);
    expect(named.problems()[0]).toContain('others.example.com/v1 is named: not served');
    serve(OTHERS);
    cluster.put(OTHERS, object('b'));
    await time.advance(30_000);
    expect(told).toEqual(['added othersdefault/b']);
    expect(named.problems()).toEqual([]);
  });

  it('are not complete while the API server of one does not answer discovery', async () => {
    cluster.unanswered.add('metrics.example.com');
    start();
    name(THINGS, { ...OTHERS, group: 'metrics.example.com' });
    await time.advance(10 * MINUTE);
    expect(named.complete()).toBe(false);
    expect(named.problems()[0]).toContain(NAMED_FAULTS.unanswered('metrics.example.com'));
    cluster.unanswered.clear();
    await time.advance(MINUTE);
    expect(named.complete()).toBe(true);
  });

  it('that are named later and cannot be listed delay no snapshot, and say why', async () => {
    start();
    name(THINGS);
    await time.advance(MINUTE);
    expect(named.complete()).toBe(true);
    serve(OTHERS);
    cluster.refuse(OTHERS, new ApiUnavailableError('list others', 'the webhook does not answer'));
    name(THINGS, OTHERS);
    await time.advance(10 * MINUTE);
    expect(named.complete()).toBe(true);
    expect(named.problems()).toEqual([
      expect.stringMatching(/^others\.example\.com\/v1 is named: cannot be listed: .*webhook/),
    ]);
    cluster.refuse(OTHERS, undefined);
    cluster.put(OTHERS, object('b'));
    await time.advance(MINUTE);
    expect(told).toEqual(['added thingsdefault/a', 'added othersdefault/b']);
    expect([named.complete(), named.problems()]).toEqual([true, []]);
  });

  it('of which objects are known delay a snapshot while they cannot be listed', async () => {
    start();
    name(THINGS);
    await time.advance(MINUTE);
    serve(OTHERS);
    cluster.put(OTHERS, object('b'));
    name(THINGS, OTHERS);
    await time.advance(MINUTE);
    cluster.refuse(OTHERS, new ApiUnavailableError('list others', 'the webhook does not answer'));
    named.reflectors.relist();
    await time.advance(MINUTE);
    expect(named.complete()).toBe(false);
  });

  it('that are named from the start delay the first snapshot until they have been listed', async () => {
    serve(OTHERS);
    cluster.refuse(OTHERS, new ApiUnavailableError('list others', 'the webhook does not answer'));
    start();
    name(THINGS, OTHERS);
    await time.advance(10 * MINUTE);
    expect(named.complete()).toBe(false);
    cluster.refuse(OTHERS, undefined);
    await time.advance(MINUTE);
    expect(named.complete()).toBe(true);
  });

  it('that are not served take one discovery for all, and no other request', async () => {
    start();
    name(THINGS, ...nameless(5000));
    await time.advance(MINUTE);
    expect(followed()).toEqual(['things.example.com/v1']);
    expect(calls('list')).toBe(1);
    expect(calls('discover')).toBeLessThanOrEqual(7);
    expect(named.problems()).toHaveLength(6);
    expect(named.problems()[5]).toBe(NAMED_FAULTS.more(4995));
    cluster.calls.length = 0;
    await time.advance(60 * MINUTE);
    expect(calls('discover')).toBe(120);
    expect(calls('list')).toBe(0);
  });

  it('take no more discovery where others come and go ten times a second', async () => {
    start();
    name(THINGS);
    await time.advance(MINUTE);
    cluster.calls.length = 0;
    for (let step = 0; step < 600; step += 1) {
      name(THINGS, ...(step % 2 === 0 ? nameless(10, `s${step}`) : []));
      await time.advance(100);
    }
    expect(calls('discover')).toBeLessThanOrEqual(7);
    expect(calls('list')).toBe(0);
    expect(told).toEqual(['added thingsdefault/a']);
  });

  it('come and go once a second at most, and what stays is not listed again', async () => {
    serve(OTHERS);
    start();
    name(THINGS);
    await time.advance(MINUTE);
    cluster.calls.length = 0;
    for (let step = 0; step < 100; step += 1) {
      name(THINGS, ...(step % 2 === 0 ? [OTHERS] : []));
      await time.advance(100);
    }
    expect(calls('list example.com/others')).toBeLessThanOrEqual(11);
    expect(calls('list example.com/things')).toBe(0);
    await time.advance(1000);
    expect(followed()).toEqual(['things.example.com/v1']);
  });

  it('that linger are listed and told once, however often they come and go', async () => {
    serve(OTHERS);
    cluster.put(OTHERS, object('b'));
    lingers = { lingers: true };
    start();
    name(THINGS);
    await time.advance(MINUTE);
    for (let step = 0; step < 60; step += 1) {
      name(THINGS, ...(step % 2 === 0 ? [OTHERS] : []));
      await time.advance(1000);
    }
    expect(calls('list example.com/others')).toBe(1);
    expect(told).toEqual(['added thingsdefault/a', 'added othersdefault/b']);
    await time.advance(6 * MINUTE);
    expect(followed()).toEqual(['things.example.com/v1']);
    expect(told.at(-1)).toBe('deleted othersdefault/b');
  });

  it('are followed up to a limit, those that are named first', async () => {
    const many = nameless(MAX_NAMED_RESOURCES);
    for (const resource of many) serve(resource);
    start();
    name(...many, THINGS);
    await time.advance(1000);
    expect(followed()).toHaveLength(MAX_NAMED_RESOURCES);
    expect(followed()).not.toContain('things.example.com/v1');
    expect(named.problems()[0]).toContain('things.example.com/v1 is named: only 500 resources');
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import { ApiForbiddenError, ApiNotFoundError, ApiUnavailableError } from '#shared/errors.ts';
import type { Reflection } from '#shared/watch/reflection.ts';
import { Reflector } from '#shared/watch/reflector.ts';
import { FakeCluster } from '#test/fakes/fake-cluster.ts';
import { VirtualTime } from '#test/fakes/virtual-time.ts';

const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const FORBIDDEN = new ApiForbiddenError('list deployments', 'RBAC');
const UNKNOWN = new ApiForbiddenError('list deployments', 'token', { unauthenticated: true });
const DOWN = new ApiUnavailableError('list deployments', 'refused');

function object(name: string): JsonObject {
  return { kind: 'Deployment', metadata: { namespace: 'default', name } };
}

function brief(reflection: Reflection): string {
  if (reflection.type === 'synced') return 'synced';
  return `${reflection.type} ${reflection.key.slice(8)}`;
}

let cluster: FakeCluster;
let time: VirtualTime;
let told: string[];
/** What is done when the reflector tells this. */
let onTold: (text: string) => void;
/** Whether another resource of the cluster is watched. */
let isOtherWatched: boolean;
let stopping: AbortController;
let ended: Promise<void>;
let reflector: Reflector;

function start(optional: boolean): void {
  reflector = new Reflector(
    cluster,
    { sleep: time.sleep, random: () => 0.5 },
    {
      resource: DEPLOYMENTS,
      selection: {},
      optional,
      isOtherWatched: () => isOtherWatched,
      onReflection: (reflection) => {
        told.push(brief(reflection));
        onTold(brief(reflection));
      },
      onState: () => undefined,
    },
  );
  ended = reflector.run(stopping.signal);
}

/** What was told since the last call. */
async function heard(ms = 0): Promise<readonly string[]> {
  await time.advance(ms);
  return told.splice(0);
}

beforeEach(() => {
  cluster = new FakeCluster();
  cluster.serve({ ...DEPLOYMENTS, kind: 'Deployment', namespaced: true, statusSubresource: true });
  cluster.put(DEPLOYMENTS, object('a'));
  time = new VirtualTime();
  told = [];
  onTold = () => undefined;
  isOtherWatched = false;
  stopping = new AbortController();
});

afterEach(async () => {
  stopping.abort();
  await ended;
});

describe('a relist', () => {
  it('that is requested while watching gives everything again, and continues from there', async () => {
    start(false);
    await heard();
    reflector.relist();
    expect(reflector.state.synced).toBe(false);
    expect(await heard()).toEqual(['modified a', 'synced']);
    cluster.put(DEPLOYMENTS, object('b'));
    expect(await heard()).toEqual(['added b']);
    expect(reflector.state).toMatchObject({ synced: true, listings: 2, failures: 0 });
  });

  it('that is asked for while the first listing is under way makes another one, which alone makes a whole', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const list = cluster.list.bind(cluster);
    cluster.list = async (resource, selection) => {
      const listed = await list(resource, selection);
      await held;
      return listed;
    };
    const wholes: boolean[] = [];
    onTold = (text) => {
      if (text === 'synced') wholes.push(reflector.state.synced);
    };
    start(false);
    expect(await heard()).toEqual(['added a']);
    reflector.relist();
    cluster.remove(DEPLOYMENTS, 'default/a');
    release();
    expect(await heard()).toEqual(['synced', 'deleted a', 'synced']);
    expect(wholes).toEqual([false, true]);
    expect(reflector.state).toMatchObject({ phase: 'watching', synced: true });
  });

  it('that the receiver of a listed object requests makes another listing', async () => {
    const wholes: boolean[] = [];
    onTold = (text) => {
      if (text === 'synced') wholes.push(reflector.state.synced);
      else if (told.length === 1) reflector.relist();
    };
    start(false);
    await heard();
    expect(wholes).toEqual([false, true]);
  });

  it.each([
    [
      'changes',
      () => cluster.put(DEPLOYMENTS, object('a')),
      ['modified a', 'modified a', 'synced'],
    ],
    ['goes', () => cluster.remove(DEPLOYMENTS, 'default/a'), ['deleted a', 'synced']],
  ])(
    'that the receiver of a watched object that %s requests is not forgotten',
    async (_case, change, expected) => {
      start(false);
      await heard();
      const version = cluster.calls.length;
      onTold = () => {
        onTold = () => undefined;
        reflector.relist();
      };
      change();
      expect(await heard(60_000)).toEqual(expected);
      expect(cluster.calls.slice(version)[0]).toBe('list apps/deployments');
      expect(reflector.state).toMatchObject({ phase: 'watching', synced: true });
    },
  );

  it('that is asked for while it waits is made when the server answers again', async () => {
    start(false);
    await heard();
    cluster.refuse(DEPLOYMENTS, DOWN);
    await heard(5000);
    expect(reflector.state).toMatchObject({ phase: 'waiting', synced: true });
    reflector.relist();
    expect(await heard(60_000)).toEqual([]);
    expect(reflector.state).toMatchObject({ phase: 'waiting', synced: false });
    cluster.refuse(DEPLOYMENTS, undefined);
    expect(await heard(30_000)).toEqual(['modified a', 'synced']);
  });

  it('that is asked for while discovery is asked why a listing failed does not wait', async () => {
    cluster.refuse(DEPLOYMENTS, new ApiNotFoundError('list deployments', 'a proxy'));
    const discover = cluster.discover.bind(cluster);
    cluster.discover = async () => {
      cluster.refuse(DEPLOYMENTS, undefined);
      reflector.relist();
      return discover();
    };
    start(false);
    expect(await heard(0)).toEqual(['added a', 'synced']);
  });

  it('of a resource that is not served makes it complete again', async () => {
    cluster.unserve(DEPLOYMENTS);
    start(false);
    await heard();
    reflector.relist();
    expect(reflector.state.synced).toBe(false);
    await heard(30_000);
    expect(reflector.state).toMatchObject({ phase: 'not-served', synced: true });
  });
});

it('a relist does not wait for the end of a pause', async () => {
  start(true);
  await heard();
  reflector.relist();
  cluster.refuse(DEPLOYMENTS, FORBIDDEN);
  await heard(10 * 60_000);
  expect(reflector.state).toMatchObject({ phase: 'forbidden' });
  cluster.refuse(DEPLOYMENTS, undefined);
  reflector.relist();
  expect(await heard(0)).toEqual(['added a', 'synced']);
});

describe('a resource that may not be listed', () => {
  it('counts as empty when it is optional and has been rejected for about a minute, and returns', async () => {
    start(true);
    await heard();
    reflector.relist();
    cluster.refuse(DEPLOYMENTS, FORBIDDEN);
    expect(await heard(30_000)).toEqual([]);
    expect(await heard(60_000)).toEqual(['deleted a', 'synced']);
    expect(reflector.state).toMatchObject({ phase: 'forbidden', synced: true });
    expect(await heard(60 * 60_000)).toEqual([]);
    cluster.refuse(DEPLOYMENTS, undefined);
    expect(await heard(5 * 60_000)).toEqual(['added a', 'synced']);
    expect(reflector.state).toMatchObject({ phase: 'watching', synced: true });
  });

  it('counts as empty after seconds when nothing of it is known and another resource is watched', async () => {
    isOtherWatched = true;
    cluster.refuse(DEPLOYMENTS, FORBIDDEN);
    start(true);
    expect(await heard(1_000)).toEqual([]);
    expect(await heard(2_000)).toEqual(['synced']);
    expect(reflector.state).toMatchObject({ phase: 'forbidden', synced: true, failures: 4 });
    isOtherWatched = false;
    expect(await heard(60 * 60_000)).toEqual([]);
    expect(reflector.state.phase).toBe('forbidden');
    cluster.refuse(DEPLOYMENTS, undefined);
    expect(await heard(5 * 60_000)).toEqual(['added a', 'synced']);
  });

  it('counts only rejections at whose time another resource is watched: a server that starts rejects all', async () => {
    cluster.refuse(DEPLOYMENTS, FORBIDDEN);
    start(true);
    await heard(4_000);
    const { failures } = reflector.state;
    isOtherWatched = true;
    await heard(15_000);
    expect(reflector.state).toMatchObject({ phase: 'waiting', failures: failures + 2 });
    await heard(60_000);
    expect(reflector.state.phase).toBe('forbidden');
  });

  it('is not given up within seconds when objects of it are known', async () => {
    isOtherWatched = true;
    start(true);
    await heard();
    reflector.relist();
    cluster.refuse(DEPLOYMENTS, FORBIDDEN);
    expect(await heard(30_000)).toEqual([]);
  });

  it('counts as empty also when it was being watched, some minutes later', async () => {
    start(true);
    await heard();
    cluster.refuse(DEPLOYMENTS, FORBIDDEN);
    expect(await heard(60_000)).toEqual([]);
    expect(await heard(5 * 60_000)).toEqual(['deleted a', 'synced']);
  });

  it('keeps what is known of it when it is watched again before the minute is over', async () => {
    start(true);
    await heard();
    reflector.relist();
    cluster.refuse(DEPLOYMENTS, FORBIDDEN);
    await heard(30_000);
    cluster.refuse(DEPLOYMENTS, undefined);
    expect(await heard(60_000)).toEqual(['modified a', 'synced']);
    expect(reflector.state).toMatchObject({ phase: 'watching', synced: true });
  });

  it('is not given up for a rejection after the server was down for long, because it rejects while it starts', async () => {
    start(true);
    await heard();
    reflector.relist();
    cluster.refuse(DEPLOYMENTS, DOWN);
    await heard(10 * 60_000);
    cluster.refuse(DEPLOYMENTS, FORBIDDEN);
    expect(await heard(60_000)).toEqual([]);
    expect(reflector.state).toMatchObject({ phase: 'waiting', synced: false });
    cluster.refuse(DEPLOYMENTS, undefined);
    expect(await heard(60_000)).toEqual(['modified a', 'synced']);
  });

  it('is not given up for rejections between which it could be watched', async () => {
    start(true);
    await heard();
    cluster.refuse(DEPLOYMENTS, FORBIDDEN);
    await heard(60_000);
    cluster.refuse(DEPLOYMENTS, undefined);
    await heard(60_000);
    expect(reflector.state.phase).toBe('watching');
    cluster.refuse(DEPLOYMENTS, FORBIDDEN);
    reflector.relist();
    expect(await heard(30_000)).toEqual([]);
    cluster.refuse(DEPLOYMENTS, undefined);
    expect(await heard(60_000)).toEqual(['modified a', 'synced']);
  });

  it.each([
    ['it is not optional', false, FORBIDDEN],
    ['the server does not know who asks', true, UNKNOWN],
    ['the server does not answer', true, DOWN],
  ])('keeps what is known of it forever when %s', async (_case, optional, error) => {
    start(optional);
    await heard();
    reflector.relist();
    cluster.refuse(DEPLOYMENTS, error);
    expect(await heard(24 * 60 * 60_000)).toEqual([]);
    expect(reflector.state).toMatchObject({ phase: 'waiting', synced: false });
    expect(reflector.keys()).toEqual(['default/a']);
    cluster.refuse(DEPLOYMENTS, undefined);
    expect(await heard(60_000)).toEqual(['modified a', 'synced']);
  });
});

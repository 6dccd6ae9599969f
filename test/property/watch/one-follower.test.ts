import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import { ApiForbiddenError, ApiUnavailableError, ResourceExpiredError } from '#shared/errors.ts';
import { oneFollower } from '#shared/watch/one-follower.ts';
import { Reflector } from '#shared/watch/reflector.ts';
import { FakeCluster } from '#test/fakes/fake-cluster.ts';
import { VirtualTime } from '#test/fakes/virtual-time.ts';
import { histories } from '#test/histories.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const SERVED = { ...PODS, kind: 'Pod', namespaced: true, statusSubresource: true };

type Step =
  | { readonly type: 'put'; readonly name: string; readonly n: number }
  | { readonly type: 'remove'; readonly name: string }
  | { readonly type: 'break'; readonly how: 'end' | 'reset' | 'expired'; readonly lost: boolean }
  | { readonly type: 'outage' | 'refusal' | 'unserve' | 'restore' | 'bookmark' }
  | { readonly type: 'join' }
  | { readonly type: 'leave' | 'relist'; readonly reader: number }
  | { readonly type: 'pass'; readonly ms: number };

const name = fc.constantFrom('a', 'b', 'c');
const reader = fc.nat({ max: 4 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('put' as const), name, n: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('remove' as const), name }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('break' as const),
      how: fc.constantFrom('end' as const, 'reset' as const, 'expired' as const),
      lost: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constantFrom(
        ...(['outage', 'refusal', 'unserve', 'restore', 'restore', 'bookmark'] as const),
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('join' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constantFrom('leave' as const, 'relist' as const), reader }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('pass' as const),
      ms: fc.constantFrom(0, 0, 100, 1_000, 20_000, 6 * 60_000),
    }),
  },
);

/** A cluster, one follower of it, and readers that come and go. */
class World {
  readonly cluster = new FakeCluster();
  readonly time = new VirtualTime();
  readonly follower = oneFollower({
    api: this.cluster,
    now: this.time.clock,
    sleep: this.time.sleep,
  });
  readonly readers: {
    readonly objects: Map<string, JsonObject>;
    readonly reflector: Reflector;
    leave(): Promise<void>;
  }[] = [];
  readonly #random: () => number;
  #isServed = true;

  constructor(random: () => number) {
    this.#random = random;
    this.cluster.serve(SERVED);
  }

  join(): void {
    const objects = new Map<string, JsonObject>();
    const stopping = new AbortController();
    const reflector = new Reflector(
      this.follower.api,
      { sleep: this.time.sleep, random: this.#random },
      {
        resource: PODS,
        selection: {},
        onState: () => undefined,
        onReflection: (reflection) => {
          expect(stopping.signal.aborted).toBe(false);
          if (reflection.type === 'deleted') objects.delete(reflection.key);
          else if (reflection.type !== 'synced') objects.set(reflection.key, reflection.object);
        },
      },
    );
    const ended = reflector.run(stopping.signal);
    const leave = async (): Promise<void> => {
      stopping.abort();
      await ended;
    };
    this.readers.push({ objects, reflector, leave });
  }

  async take(one: Step): Promise<void> {
    switch (one.type) {
      case 'put':
      case 'remove':
        return this.#change(one);
      case 'break':
        return this.#break(one);
      case 'join':
        return this.join();
      case 'leave':
        return this.readers.splice(one.reader, 1)[0]?.leave();
      case 'relist':
        return this.readers[one.reader]?.reflector.relist();
      case 'pass':
        return this.time.advance(one.ms);
      default:
        return this.#trouble(one.type);
    }
  }

  /** Everything works again, for long enough that everybody has noticed. */
  async heal(): Promise<void> {
    this.#trouble('restore');
    await this.time.advance(10 * 60_000);
  }

  #change(one: Extract<Step, { type: 'put' | 'remove' }>): void {
    if (one.type === 'remove') this.cluster.remove(PODS, `default/${one.name}`);
    else if (this.#isServed)
      this.cluster.put(PODS, {
        metadata: { namespace: 'default', name: one.name },
        status: { n: one.n },
      });
  }

  #break({ how, lost }: Extract<Step, { type: 'break' }>): void {
    const errors = {
      end: undefined,
      reset: new ApiUnavailableError('watch', 'reset'),
      expired: new ResourceExpiredError('watch'),
    };
    this.cluster.disconnect(errors[how]);
    if (lost) this.cluster.compact();
  }

  #trouble(type: 'outage' | 'refusal' | 'unserve' | 'restore' | 'bookmark'): void {
    const { cluster } = this;
    if (type === 'outage') {
      cluster.failure = new ApiUnavailableError('any', 'down');
      cluster.disconnect(cluster.failure);
    } else if (type === 'refusal') cluster.refuse(PODS, new ApiForbiddenError('any', 'RBAC'));
    else if (type === 'bookmark') cluster.bookmark();
    else if (type === 'unserve') {
      // Its objects are deleted with the definition.
      for (const key of [...cluster.objects(PODS).keys()]) cluster.remove(PODS, key);
      this.#isServed = false;
      cluster.unserve(PODS);
    } else {
      this.#isServed = true;
      cluster.failure = undefined;
      cluster.refuse(PODS, undefined);
      cluster.serve(SERVED);
    }
  }
}

test('whatever breaks in between, each reader of one follower knows in the end what exists, by one watch', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 40 }),
      fc.infiniteStream(fc.nat({ max: 999 })),
      async (history, numbers) => {
        const world = new World(() => numbers.next().value / 1000);
        world.join();
        for (const one of history) {
          await world.take(one);
          expect(world.cluster.watching().length).toBeLessThanOrEqual(1);
        }
        await world.heal();
        for (const { objects, reflector } of world.readers) {
          expect(reflector.state).toMatchObject({ phase: 'watching', synced: true });
          expect(objects).toEqual(new Map(world.cluster.objects(PODS)));
        }
        expect(world.cluster.watching()).toHaveLength(world.readers.length > 0 ? 1 : 0);
        await Promise.all(world.readers.map((one) => one.leave()));
        await world.follower.stop();
        expect(world.cluster.watching()).toEqual([]);
      },
    ),
    { numRuns: histories({ first: 150, all: 500 }) },
  );
});

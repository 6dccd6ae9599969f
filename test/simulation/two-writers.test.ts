import { describe, expect, it } from 'vitest';
import { takeOver } from '#functions/cli/takeover-run.ts';
import { createWriterMark, REMEMBERED_MS } from '#functions/write-results/writer-mark.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { createMemoryCluster, type MemoryCluster } from '#test/fakes/memory-cluster.ts';
import { play } from './history.ts';
import { differences } from './oracle.ts';
import { Scheduler } from './scheduler.ts';
import { STAGES, World } from './world.ts';

/** The first seed of each batch of histories. */
const STARTS = [15];
const BATCH = 15;
const ACTIONS = 6;
/**
 * Each installation has its own clusters of these names, so the two would write different statuses. With other names the
 * second one would wait for WECs that never tell it anything.
 */
const WECS = ['wec1', 'wec2'];

/** A request that changed the WDS, or should have. */
interface Write {
  readonly by: string;
  readonly atMs: number;
}

/** An API server that notes what it is asked to change. */
function noting(api: ObjectApi, note: () => void): ObjectApi {
  const noted =
    <Args extends readonly unknown[], Result>(call: (...args: Args) => Result) =>
    (...args: Args): Result => {
      note();
      return call(...args);
    };
  return {
    get: api.get,
    create: noted(api.create),
    replace: noted(api.replace),
    replaceStatus: noted(api.replaceStatus),
    patchLabels: noted(api.patchLabels),
    delete: noted(api.delete),
  };
}

/** Two installations on one WDS. */
class TwoInstallations {
  readonly scheduler: Scheduler;
  readonly first: World;
  readonly second: World;
  readonly writes: Write[] = [];
  /** Apart from the WDS: a Lease is nobody's workload object. */
  readonly #leases: MemoryCluster;

  constructor(seed: number) {
    this.scheduler = new Scheduler(seed);
    let uids = 0;
    const uid = (): string => {
      uids += 1;
      return `shared-${uids}`;
    };
    const cluster = createMemoryCluster(uid);
    this.#leases = createMemoryCluster(uid);
    const worldOf = (identity: string): World => {
      const clock = (): number => this.scheduler.now;
      const self = { identity, runsAs: 'simulation' };
      const mark = createWriterMark({ cluster: 'WDS wds1', api: this.#leases.api, self, clock });
      const api = noting(cluster.api, () => this.writes.push({ by: identity, atMs: clock() }));
      const shared = { scheduler: this.scheduler, cluster, api, mark };
      return new World(seed, WECS, { shared });
    };
    this.first = worldOf('first');
    this.second = worldOf('second');
  }

  /** Makes one of them the writer, as an operator does. */
  async makeWriter(identity: 'first' | 'second'): Promise<void> {
    await takeOver({
      context: 'wds1',
      api: this.#leases.api,
      identity,
      runsAs: 'takeover',
      confirmed: async () => true,
      nowMs: this.scheduler.now,
    });
  }

  /** Lets the invocations of both take turns for so long; what is on its way ends before time passes. */
  async turns(ms: number): Promise<void> {
    const { scheduler } = this;
    const until = scheduler.now + ms;
    while (scheduler.now < until) {
      for (const world of [this.first, this.second]) this.#invoke(world);
      while (await scheduler.advance());
      scheduler.pass(Math.min(1_000 + scheduler.random.below(4_000), until - scheduler.now));
    }
  }

  #invoke(world: World): void {
    for (const stage of STAGES) if (this.scheduler.random.chance(0.7)) world.invoke(stage);
    for (const forwarder of world.forwarders) forwarder.tick();
  }

  /** What was written since a time, by installation. */
  written(by: string, sinceMs = 0): number {
    return this.writes.filter((write) => write.by === by && write.atMs >= sinceMs).length;
  }
}

/** The second installation comes to the WDS of the first; what its WECs say is something else. */
function beginSecond({ first, second }: TwoInstallations): void {
  for (const forwarder of second.forwarders) forwarder.start();
  for (const [name, cluster] of second.wecs)
    for (const { ref, object } of first.wecs.get(name)?.objects() ?? [])
      cluster.apply(ref, { ...object, status: { observedGeneration: 1, replicas: 7 } });
}

/** What one history came to: how many writes there were that should be, and that should not. */
interface Outcome {
  /** Of the second one, before it took over. */
  readonly early: number;
  /** Of the first one, when it should have noticed that. */
  readonly late: number;
  /** Of both, after all was done. */
  readonly flapping: number;
  /** Where the WDS does not say what the second one wants. */
  readonly wrong: readonly string[];
  /** Of the second one, all in all. */
  readonly written: number;
}

async function history(seed: number): Promise<Outcome> {
  const both = new TwoInstallations(seed);
  const { first, second, scheduler } = both;
  await both.makeWriter('first');
  await play(first, ACTIONS);
  await first.quiesce();
  beginSecond(both);
  await both.turns(30_000);
  const early = both.written('second');
  await both.makeWriter('second');
  const noticedMs = scheduler.now + REMEMBERED_MS;
  await both.turns(REMEMBERED_MS + 30_000);
  await second.quiesce();
  const wrong = differences(second);
  const before = both.writes.length;
  await both.turns(30_000);
  return {
    early,
    late: both.written('first', noticedMs),
    flapping: both.writes.length - before,
    wrong,
    written: both.written('second'),
  };
}

describe('two installations on one WDS, simulated', () => {
  it.each(STARTS)(
    'write one at a time, the second only after a takeover, in the histories of seeds %i and following',
    async (start) => {
      let all = 0;
      for (let seed = start; seed < start + BATCH; seed += 1) {
        const { written, ...amiss } = await history(seed);
        expect({ seed, ...amiss }).toEqual({ seed, early: 0, late: 0, flapping: 0, wrong: [] });
        all += written;
      }
      expect(all).toBeGreaterThan(0);
    },
  );
});

import { describe, expect, it } from 'vitest';
import { parseBinding } from '#shared/core/binding/binding.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import type { ClusterChange } from '#test/fakes/memory-cluster.ts';
import { batches, histories } from '#test/histories.ts';
import { explanationDifferences } from './explained.ts';
import { freezeTimers } from './frozen-timers.ts';
import { play } from './history.ts';
import { finish, isTrue, JOB_PLOT, madeFrom } from './job-history.ts';
import { find, MIGRATION } from './objects.ts';
import { differences } from './oracle.ts';
import { World } from './world.ts';

const HISTORIES = histories({ first: 8, all: 60 });
const BATCH = Math.min(20, HISTORIES);
const ACTIONS = [30, 10] as const;
function endsOf(job: JsonObject | undefined): readonly string[] {
  return ['Complete', 'Failed'].filter((end) => isTrue(job, end));
}

/** What was seen of a world. */
class Watched {
  readonly world: World;
  /** What stood in the WDS before any WEC had come so far. */
  readonly early: string[] = [];
  /** How often the WDS had an end that is True. */
  ends = 0;
  /** How often a WEC still had a Job that had ended when the one in the WDS was made anew. */
  leftovers = 0;
  /** Which ends of which Jobs of the WDS a WEC has reached. */
  readonly #reached = new Set<string>();

  constructor(seed: number) {
    const sharding = seed % 2 === 0 ? {} : { unsharded: 1, late: seed % 4 === 1 };
    this.world = new World(seed, ['wec1', 'wec2', 'wec3'], { jobs: true, ...sharding });
    const { wds, wecs } = this.world;
    for (const wec of wecs.values()) this.#watch(wec, ({ object }) => this.#seeInWec(object));
    this.#watch(wds, (change) => {
      if (change.ref.resource === 'jobs') this.#seeInWds(change);
    });
  }

  #watch(cluster: World['wds'], see: (change: ClusterChange) => void): void {
    const { onChange } = cluster;
    cluster.onChange = (change) => {
      see(change);
      onChange(change);
    };
  }

  #seeInWec(job: JsonObject): void {
    for (const end of endsOf(job)) this.#reached.add(`${madeFrom(job)} ${end}`);
  }

  #seeInWds({ type, object }: ClusterChange): void {
    if (type === 'ADDED')
      for (const wec of this.world.wecs.values())
        this.leftovers += Number(endsOf(find(wec, MIGRATION)).length > 0);
    const uid = String(at(object, 'metadata', 'uid'));
    for (const end of endsOf(object)) {
      this.ends += 1;
      if (!this.#reached.has(`${uid} ${end}`)) this.early.push(`${uid} is ${end}, and in no WEC`);
    }
  }
}

/** Names of the WECs that have to have run the Job, by the Bindings that ask for its status. */
function qualified(world: World): readonly string[] | undefined {
  const asking = world.wds.objects().flatMap(({ ref, object }) => {
    if (ref.resource !== 'bindings') return [];
    const { destinations, objects } = parseBinding(object);
    return objects.flatMap(({ modulation }) =>
      modulation.wantMultiWECReportedState || modulation.wantSingletonReportedState
        ? [{ destinations, isMulti: modulation.wantMultiWECReportedState }]
        : [],
    );
  });
  const wecs = [...new Set(asking.flatMap(({ destinations }) => destinations))];
  const isReturned = wecs.length === 1 || asking.some(({ isMulti }) => isMulti);
  return isReturned && wecs.length > 0 ? wecs : undefined;
}

/** Of a world at rest: a Job that all WECs have completed for the WDS is Complete there, unless it has failed before. */
function uncompleted(world: World): readonly string[] {
  const job = find(world.wds, MIGRATION);
  const wecs = qualified(world);
  if (job === undefined || wecs === undefined) return [];
  const isDone = wecs.every((name) => {
    const wec = world.wecs.get(name);
    const own = wec === undefined ? undefined : find(wec, MIGRATION);
    return isTrue(own, 'Complete') && madeFrom(own) === at(job, 'metadata', 'uid');
  });
  return isDone && endsOf(job).length === 0
    ? ['the Job is Complete in all WECs, and not in the WDS']
    : [];
}

freezeTimers();

describe('a Job that is deleted and created again, simulated', () => {
  let ends = 0;
  let leftovers = 0;

  it.each(batches(HISTORIES, BATCH))(
    'never ends through the Jobs that WECs have of before, after the histories of seeds %i and following',
    async (first) => {
      for (let seed = first; seed < first + BATCH; seed += 1) {
        const seen = new Watched(seed);
        const { world } = seen;
        await play(world, ACTIONS[seed % 3 === 0 ? 1 : 0], JOB_PLOT);
        await world.quiesce();
        const wrong = [...differences(world), ...uncompleted(world)];
        finish(world);
        await world.quiesce();
        wrong.push(
          ...differences(world),
          ...(await explanationDifferences(world)),
          ...uncompleted(world),
          ...world.failures.map(String),
        );
        expect({ seed, wrong, early: seen.early }).toEqual({ seed, wrong: [], early: [] });
        ends += seen.ends;
        leftovers += seen.leftovers;
      }
    },
  );

  it('has ended well in these histories, and been made anew beside Jobs that had', () => {
    expect(ends).toBeGreaterThan(HISTORIES / 2);
    expect(leftovers).toBeGreaterThan(HISTORIES * 2);
  });
});

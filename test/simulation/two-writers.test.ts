import { describe, expect, it } from 'vitest';
import { takeOver } from '#local/cli/takeover/takeover-run.ts';
import { stringifyJson } from '#shared/core/json.ts';
import { createWriterMark, REMEMBERED_MS } from '#shared/doctor/writer-mark.ts';
import type { ObjectApi, ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { createMemoryCluster, type MemoryCluster } from '#test/fakes/memory-cluster.ts';
import { histories } from '#test/histories.ts';
import { freezeTimers } from './frozen-timers.ts';
import { crash, play } from './history.ts';
import { BINDINGS, controlRef, find, manifest, workloads } from './objects.ts';
import { differences } from './oracle.ts';
import { Scheduler } from './scheduler.ts';
import { STAGES, World } from './world.ts';

/** The first seed of each batch of histories. */
const STARTS = [0, 15, 30, 45];
const PLAYED = histories({ first: 2, all: 8 });
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
  readonly object: string;
}

function keyOf({ resource, namespace, name }: ObjectRef): string {
  return `${resource} ${namespace}/${name}`;
}

/** An API server that notes which objects it is asked to change. */
function noting(api: ObjectApi, note: (ref: ObjectRef) => void): ObjectApi {
  const noted =
    <Rest extends readonly unknown[], Result>(call: (ref: ObjectRef, ...rest: Rest) => Result) =>
    (ref: ObjectRef, ...rest: Rest): Result => {
      note(ref);
      return call(ref, ...rest);
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
      const api = noting(cluster.api, (ref) =>
        this.writes.push({ by: identity, atMs: clock(), object: keyOf(ref) }),
      );
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
    if (this.scheduler.random.chance(0.1)) crash(world);
    for (const stage of STAGES) if (this.scheduler.random.chance(0.7)) world.invoke(stage);
    for (const forwarder of world.forwarders) forwarder.tick();
  }

  /** The objects that an installation has written since a time, sorted. */
  written(by: string, sinceMs = 0): readonly string[] {
    const writes = this.writes.filter((write) => write.by === by && write.atMs >= sinceMs);
    return [...new Set(writes.map(({ object }) => object))].sort();
  }
}

/** What all WECs of an installation say of every workload object from now on. */
function report(world: World, replicas: number): void {
  for (const wec of world.wecs.values())
    for (const ref of workloads(world))
      wec.apply(ref, {
        ...manifest(ref, { replicas }),
        status: { observedGeneration: 1, replicas, readyReplicas: replicas },
      });
}

/** Whatever the history has left: every workload object stands in the WDS, and a Binding wants the statuses of all WECs. */
function wantAll(world: World): void {
  for (const ref of workloads(world))
    if (find(world.wds, ref) === undefined) world.wds.apply(ref, manifest(ref, { replicas: 2 }));
  const ref = controlRef('bindings', BINDINGS[0]);
  const { group, version } = ref;
  world.wds.apply(ref, {
    apiVersion: `${group}/${version}`,
    kind: 'Binding',
    metadata: { name: ref.name },
    ...find(world.wds, ref),
    spec: {
      destinations: WECS.map((clusterId) => ({ clusterId })),
      workload: {
        namespaceScope: workloads(world).map((object) => ({
          ...object,
          resourceVersion: '1',
          wantMultiWECReportedState: true,
        })),
      },
    },
  });
}

/** What an installation writes of the WDS: its objects as they stand. */
function standing({ wds }: World): ReadonlyMap<string, string> {
  return new Map(wds.objects().map(({ ref, object }) => [keyOf(ref), stringifyJson(object)]));
}

/** The objects that are not what they were, sorted. */
function changedSince(before: ReadonlyMap<string, string>, world: World): readonly string[] {
  const now = standing(world);
  const keys = new Set([...before.keys(), ...now.keys()]);
  return [...keys].filter((key) => before.get(key) !== now.get(key)).sort();
}

/** What one history came to. */
interface Outcome {
  /** What the second one wrote before it took over; what it wanted by then. */
  readonly early: readonly string[];
  readonly wanted: readonly string[];
  /** What changed in the WDS by the takeover, and was not written by the second one. */
  readonly unwritten: readonly string[];
  /** What changed in the WDS when all WECs of both had said something else, and what the second one wrote then. */
  readonly changed: readonly string[];
  readonly written: readonly string[];
  /** What the first one wrote when it should have noticed. */
  readonly late: readonly string[];
  /** Writes of both, after all was done. */
  readonly flapping: number;
  /** Where the WDS does not say what the second one wants: after the takeover, and at the end. */
  readonly wrong: readonly string[];
}

/** The second installation takes over, and the WDS comes to say what it wants. */
async function takeover(both: TwoInstallations): Promise<Pick<Outcome, 'unwritten' | 'wrong'>> {
  const { second, scheduler } = both;
  const [before, sinceMs] = [standing(second), scheduler.now];
  await both.makeWriter('second');
  await both.turns(REMEMBERED_MS + 30_000);
  await second.quiesce();
  const written = both.written('second', sinceMs);
  const unwritten = changedSince(before, second).filter((key) => !written.includes(key));
  return { unwritten, wrong: differences(second) };
}

/** What both see changes, so that both want to write. */
async function change(both: TwoInstallations): Promise<Pick<Outcome, 'changed' | 'written'>> {
  const { first, second, scheduler } = both;
  const [before, sinceMs] = [standing(second), scheduler.now];
  report(first, 3);
  report(second, 5);
  await both.turns(30_000);
  await second.quiesce();
  return { changed: changedSince(before, second), written: both.written('second', sinceMs) };
}

async function history(
  seed: number,
): Promise<Outcome & { readonly deployments: readonly string[] }> {
  const both = new TwoInstallations(seed);
  const { first, second, scheduler } = both;
  await both.makeWriter('first');
  await play(first, ACTIONS);
  wantAll(first);
  report(first, 2);
  await first.quiesce();
  for (const forwarder of second.forwarders) forwarder.start();
  report(second, 7);
  await both.turns(30_000);
  const [early, wanted] = [both.written('second'), differences(second)];
  const noticedMs = scheduler.now + REMEMBERED_MS;
  const { unwritten, wrong } = await takeover(both);
  const changes = await change(both);
  const before = both.writes.length;
  await both.turns(30_000);
  return {
    early,
    wanted,
    unwritten,
    ...changes,
    late: both.written('first', noticedMs),
    flapping: both.writes.length - before,
    wrong: [...wrong, ...differences(second)],
    deployments: workloads(second)
      .map(keyOf)
      .filter((key) => key.startsWith('deployments')),
  };
}

freezeTimers();

describe('two installations on one WDS, simulated', () => {
  it.each(STARTS)(
    'write one at a time, and all that is to be written, in the histories of seeds %i and following',
    async (start) => {
      for (let seed = start; seed < start + PLAYED; seed += 1) {
        const { wanted, changed, written, deployments, ...amiss } = await history(seed);
        expect({ seed, ...amiss }).toEqual({
          seed,
          early: [],
          unwritten: [],
          late: [],
          flapping: 0,
          wrong: [],
        });
        // The status of each Deployment was to be another one, by the takeover and by what was said after it.
        for (const key of deployments) {
          const [resource, name] = key.split(/ .*\//);
          expect(wanted).toContainEqual(expect.stringContaining(`${resource}/${name}: status is`));
        }
        expect({ seed, written }).toEqual({ seed, written: changed });
        expect(changed).toEqual(expect.arrayContaining([...deployments]));
      }
    },
  );
});

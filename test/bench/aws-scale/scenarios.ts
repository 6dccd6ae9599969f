import type { Played, ScaleWorld } from './world.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** As the forwarder has it with SQS (functions/event-forwarder/program/forwarder-times.ts). */
const HEARTBEAT_MS = 2 * MINUTE_MS;
/** In the steady state each row changes once in this time. */
const ROW_CHANGE_MS = 3 * 3_600 * SECOND_MS;
/** Of the WECs so many are in the region of the storm. */
const REGION = 0.2;
/** Of the rows of a WEC that reconnects so many have changed meanwhile. */
const CHANGED = 0.1;

interface Due {
  readonly atMs: number;
  readonly run: () => void;
}

/** Heartbeats of all WECs, each at its own time. */
function heartbeats(world: ScaleWorld, ms: number): readonly Due[] {
  return world.wecs.flatMap((wec) => {
    const atMs = world.chance() * HEARTBEAT_MS;
    return atMs < ms ? [{ atMs, run: () => world.beat(wec) }] : [];
  });
}

/** What happens at its time, beside the heartbeats. */
async function play(world: ScaleWorld, ms: number, load: readonly Due[]): Promise<void> {
  const began = world.clock.now();
  const all = [...heartbeats(world, ms), ...load].sort((a, b) => a.atMs - b.atMs);
  for (const { atMs, run } of all) {
    const left = Math.round(began + atMs - world.clock.now());
    if (left > 0) await world.clock.sleep(left);
    run();
  }
}

function pick<T>(world: ScaleWorld, all: readonly T[]): T {
  const one = all[Math.floor(world.chance() * all.length)];
  if (one === undefined) throw new RangeError('there is nothing to choose from');
  return one;
}

/** So many changes in a time, each of any row at any moment. */
function anywhere(world: ScaleWorld, count: number, ms: number): readonly Due[] {
  return Array.from({ length: count }, () => {
    const [wec, workload] = [pick(world, world.wecs), pick(world, world.workloads)];
    return { atMs: world.chance() * ms, run: () => world.change(wec, workload) };
  });
}

/** What `--scenario` accepts. */
export const SCENARIOS = ['steady', 'slow-wds', 'rollout', 'storm'] as const;
export type ScenarioId = (typeof SCENARIOS)[number];

/** A scenario: its name, and what happens. */
export interface Scenario {
  readonly id: ScenarioId;
  readonly name: string;
  /** What the load is, in this size. */
  readonly load: string;
  readonly play: (world: ScaleWorld) => Promise<Played>;
}

/** The scenarios for a number of WECs and workload objects. */
export function scenariosOf({
  wecs,
  workloads,
}: {
  wecs: number;
  workloads: number;
}): readonly Scenario[] {
  const rows = wecs * workloads;
  const steady = Math.max(1, Math.round((rows * MINUTE_MS) / ROW_CHANGE_MS));
  const slow = workloads * 60;
  return [
    {
      id: 'steady',
      name: 'steady',
      load: `${steady} changes in a minute, of any rows (each row every 3 hours)`,
      play: (world) => world.play(() => play(world, MINUTE_MS, anywhere(world, steady, MINUTE_MS))),
    },
    {
      id: 'slow-wds',
      name: 'a WDS that takes 50 writes/s',
      load: `${slow} changes in a minute: each workload object changes once a second in some WEC`,
      play: (world) => world.play(() => play(world, MINUTE_MS, everyObject(world, 60)), 50),
    },
    {
      id: 'rollout',
      name: 'a rollout everywhere',
      load: `each WEC changes all ${workloads} workload objects within 60 s`,
      play: (world) => world.play(() => play(world, MINUTE_MS, everyRow(world))),
    },
    {
      id: 'storm',
      name: 'a regional storm',
      load: `${REGION * wecs} WECs send everything at once; a tenth of it has changed`,
      play: (world) => world.play(() => play(world, MINUTE_MS, storm(world))),
    },
  ];
}

/** Each object changes once a second, for so many seconds. */
function everyObject(world: ScaleWorld, seconds: number): readonly Due[] {
  return world.workloads.flatMap((workload) =>
    Array.from({ length: seconds }, (_second, second) => {
      const wec = pick(world, world.wecs);
      const atMs = (second + world.chance()) * SECOND_MS;
      return { atMs, run: () => world.change(wec, workload) };
    }),
  );
}

function everyRow(world: ScaleWorld): readonly Due[] {
  return world.wecs.flatMap((wec) =>
    world.workloads.map((workload) => ({
      atMs: world.chance() * MINUTE_MS,
      run: () => world.change(wec, workload),
    })),
  );
}

function storm(world: ScaleWorld): readonly Due[] {
  const region = world.wecs.slice(0, Math.round(REGION * world.wecs.length));
  const reconnect = (wec: string) => (): void => {
    world.snapshot(wec);
    for (const workload of world.workloads)
      if (world.chance() < CHANGED) world.change(wec, workload);
  };
  return region.map((wec) => ({ atMs: 0, run: reconnect(wec) }));
}

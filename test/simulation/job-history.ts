import { at, isArray, type JsonObject, member } from '#shared/core/json.ts';
import { SOURCE_UID } from '#shared/core/status/returned-object.ts';
import {
  type Action,
  crash,
  forwarderTrouble,
  overtake,
  type Plot,
  redrive,
  setCollector,
  time,
} from './history.ts';
import { BINDINGS, controlRef, find, MIGRATION, manifest } from './objects.ts';
import { longTime } from './silence.ts';
import type { World } from './world.ts';

/** A WEC whose clock is so much ahead of all others, and whose transport therefore says what it has made an object from. */
const AHEAD = { wec: 'wec2', ms: 3_600_000 } as const;
/** The same, behind. */
const BEHIND = { wec: 'wec3', ms: -3_600_000 } as const;

/** More than an object of a WEC may be older and count all the same. */
const LATER_MS = 3_000;

function clockOf(wec: string): number {
  return [AHEAD, BEHIND].find((one) => one.wec === wec)?.ms ?? 0;
}

function creationTimestamp({ scheduler }: World, aheadMs = 0): string {
  return new Date(scheduler.now + aheadMs).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** The object that a WEC's was made from: for the checks, not for those who are checked. */
const MADE_FROM = 'made-from';

/** UID of the object in the WDS that the Job of a WEC was made from. */
export function madeFrom(job: JsonObject | undefined): string {
  return String(at(job, 'metadata', 'labels', MADE_FROM));
}

/** Whether a Job has this condition as True. */
export function isTrue(job: JsonObject | undefined, type: string): boolean {
  const conditions = at(job, 'status', 'conditions');
  return (
    isArray(conditions) &&
    conditions.some((one) => member(one, 'type') === type && member(one, 'status') === 'True')
  );
}

function uidOf(job: JsonObject): string {
  return String(at(job, 'metadata', 'uid'));
}

/** A user deletes the Job and creates it again, as a sync hook does: often with the same spec. */
const makeAnew: Action = (world) => {
  const { deeds: random } = world;
  world.wds.remove(MIGRATION);
  world.pass(LATER_MS);
  const image = `migrate:${random.below(2)}`;
  const template = { spec: { containers: [{ name: 'migrate', image }] } };
  const made = manifest(MIGRATION, { completions: 1, parallelism: 1, template });
  const metadata = { ...Object(made['metadata']), creationTimestamp: creationTimestamp(world) };
  world.wds.apply(MIGRATION, { ...made, metadata });
};

/** A transport brings one WEC a step nearer to the WDS: what was made from another object goes first. */
function deliver(world: World, name: string): void {
  const wec = world.wecs.get(name);
  const wanted = find(world.wds, MIGRATION);
  const job = wec === undefined ? undefined : find(wec, MIGRATION);
  if (job !== undefined && (wanted === undefined || madeFrom(job) !== uidOf(wanted))) {
    wec?.remove(MIGRATION);
    return;
  }
  if (job !== undefined || wanted === undefined) return;
  const ahead = clockOf(name);
  const { spec = {}, apiVersion = '', kind = '' } = wanted;
  const metadata = {
    name: MIGRATION.name,
    namespace: MIGRATION.namespace,
    creationTimestamp: creationTimestamp(world, ahead),
    labels: { [MADE_FROM]: uidOf(wanted) },
    ...(ahead === 0 ? {} : { annotations: { [SOURCE_UID]: uidOf(wanted) } }),
  };
  wec?.apply(MIGRATION, { apiVersion, kind, metadata, spec });
}

function condition(world: World, type: string): JsonObject {
  return { type, status: 'True', lastTransitionTime: creationTimestamp(world) };
}

/** The Job of one WEC begins to run, or ends, mostly well. */
function run(world: World, name: string): void {
  const { deeds: random } = world;
  const wec = world.wecs.get(name);
  const job = wec === undefined ? undefined : find(wec, MIGRATION);
  if (job === undefined || isTrue(job, 'Complete') || isTrue(job, 'Failed')) return;
  const startTime = at(job, 'status', 'startTime');
  const now = creationTimestamp(world);
  if (startTime === undefined) {
    wec?.apply(MIGRATION, { ...job, status: { active: 1, startTime: now } });
    return;
  }
  const isFailed = random.chance(0.1);
  const types = isFailed ? ['FailureTarget', 'Failed'] : ['SuccessCriteriaMet', 'Complete'];
  const conditions = types.map((type) => condition(world, type));
  const counts = isFailed ? { failed: 1 } : { succeeded: 1, completionTime: now };
  wec?.apply(MIGRATION, { ...job, status: { startTime, conditions, ...counts } });
}

/** A user sends the Job to some WECs, mostly to more than one. */
const bind: Action = (world) => {
  const { deeds: random } = world;
  const ref = controlRef('bindings', random.pick(BINDINGS));
  const asked = {
    ...MIGRATION,
    resourceVersion: '1',
    statusCollectors: random.chance(0.3) ? ['stale'] : [],
    wantSingletonReportedState: random.chance(0.3),
    wantMultiWECReportedState: random.chance(0.9),
  };
  const destinations = world.destinations
    .filter(() => random.chance(0.6))
    .map((clusterId) => ({ clusterId }));
  world.wds.apply(ref, {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'Binding',
    metadata: { name: ref.name, creationTimestamp: creationTimestamp(world) },
    ...find(world.wds, ref),
    spec: { destinations, workload: { namespaceScope: [asked] } },
  });
};

/** The WECs come some steps nearer to the end. */
const progress: Action = (world) => {
  for (let step = world.deeds.below(16); step > 0; step -= 1)
    world.deeds.pick([deliver, run])(world, world.deeds.pick([...world.wecs.keys()]));
};

/** Every WEC comes to the end. */
export const finish: Action = (world) => {
  for (const wec of world.wecs.keys())
    for (const step of [deliver, deliver, run, run]) step(world, wec);
};

/** The life of a Job that is made anew again and again, in a WDS and in WECs that are not always as far. */
export const JOB_PLOT: Plot = {
  begin(world) {
    makeAnew(world);
    for (const action of [bind, bind, setCollector]) action(world);
    for (const action of [progress, progress]) action(world);
  },
  mixture: () => [
    makeAnew,
    makeAnew,
    ...Array<Action>(6).fill(progress),
    bind,
    setCollector,
    forwarderTrouble,
    crash,
    overtake,
    redrive,
    time,
    longTime,
  ],
};

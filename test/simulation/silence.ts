import { at, isObject, type JsonObject } from '#shared/core/json.ts';
import { SILENCE_LIMIT_MS } from '#shared/core/silence.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { SPECS } from './collectors.ts';
import { relabel } from './labels.ts';
import { withSilentAfter } from './objects.ts';
import type { World } from './world.ts';

const VISIBILITY_MS = 31_000;
/** What `starfold.dev/silent-after` says, if there is one. */
const TIMES = ['', '2m', '2m', '24h'] as const;
const CONTROL = { group: 'control.kubestellar.io', version: 'v1alpha1', namespace: '' };

function control(kind: string, name: string, spec: JsonObject): [ObjectRef, JsonObject] {
  const ref = { ...CONTROL, resource: `${kind.toLowerCase()}s`, name };
  return [ref, { apiVersion: `${ref.group}/${ref.version}`, kind, metadata: { name }, spec }];
}

/**
 * Makes silence show: every WEC has every workload object as the WDS has it, none is behind, and a Binding with a
 * collector that asks sends them everywhere.
 */
function prepare(world: World): void {
  const workloads = world.wds.objects().filter(({ ref }) => ref.namespace === 'shop');
  for (const { ref, object } of workloads)
    for (const wec of world.wecs.values()) {
      const { apiVersion = '', kind = '', spec = {} } = object;
      const { name, namespace } = ref;
      const applied = wec.apply(ref, { apiVersion, kind, metadata: { name, namespace }, spec });
      const observedGeneration = at(applied, 'metadata', 'generation') ?? 0;
      wec.apply(ref, { ...applied, status: { observedGeneration } });
    }
  const asks = world.scheduler.random.pick(SPECS.stale);
  world.wds.apply(...control('StatusCollector', 'stale', asks));
  // The others are invalid, or ask for labels that a WEC may not have.
  const byLabels = world.scheduler.random.pick(SPECS.labels.slice(0, 2));
  world.wds.apply(...control('StatusCollector', 'labels', byLabels));
  const statusCollectors = ['stale', 'labels'];
  const namespaceScope = workloads.map(({ ref }) => ({ ...ref, statusCollectors }));
  const destinations = [...world.wecs.keys()].map((clusterId) => ({ clusterId }));
  const flags = { wantMultiWECReportedState: world.scheduler.random.chance(0.7) };
  const objects = namespaceScope.map((one) => ({ ...one, ...flags }));
  const [ref, binding] = control('Binding', 'b1', {
    destinations,
    workload: { namespaceScope: objects },
  });
  world.wds.apply(ref, withSilentAfter(binding, world.scheduler.random.pick(TIMES)));
}

/** Another time holds for an object, or for a Binding. */
function setTime(world: World): void {
  const { random } = world.scheduler;
  const timed = world.wds
    .objects()
    .filter(({ ref }) => ref.namespace === 'shop' || ref.resource === 'bindings')
    .filter(({ ref }) => ref.resource !== 'combinedstatuses');
  if (timed.length === 0) return;
  const { ref, object } = random.pick(timed);
  world.wds.apply(ref, withSilentAfter(object, random.pick(TIMES)));
}

/** So much time passes that a WEC whose forwarder is down is silent. */
export function longTime(world: World): void {
  world.pass(SILENCE_LIMIT_MS + world.scheduler.random.below(60_000));
  world.sweepStale();
}

/** A WEC whose forwarder runs says something else of an object: its row changes while silences do. */
function report(world: World): void {
  const { random } = world.scheduler;
  const up = world.wecForwarders(true);
  if (up.length === 0) return;
  const wec = world.wecs.get(random.pick(up).source.name);
  const objects = wec?.objects() ?? [];
  if (objects.length === 0) return;
  const { ref, object } = random.pick(objects);
  const status = at(object, 'status');
  const message = `${random.below(10)}`;
  wec?.apply(ref, { ...object, status: { ...(isObject(status) ? status : {}), message } });
}

function startOne(world: World): void {
  const down = world.wecForwarders(false);
  if (down.length > 0) world.scheduler.random.pick(down).start();
}

function crashOne(world: World): void {
  const { running, scheduler } = world;
  if (running.length > 0) world.crash(scheduler.random.pick(running));
}

/**
 * Of a world at rest some WECs fall silent, and some of these speak again, while others report or get other labels, and
 * invocations die and are overtaken.
 */
export async function silence(world: World): Promise<void> {
  const { random } = world.scheduler;
  prepare(world);
  await world.rest();
  for (const forwarder of world.wecForwarders(true)) if (random.chance(0.4)) forwarder.crash();
  longTime(world);
  const happenings: readonly (readonly [chance: number, happening: () => void])[] = [
    [0.01, () => startOne(world)],
    [0.02, () => report(world)],
    [random.pick([0, 0.01, 0.04]), () => relabel(world)],
    [random.pick([0, 0.02]), () => setTime(world)],
    [random.pick([0, 0.02]), () => world.pass(150_000)],
    [0.05, () => world.sweepStale()],
    [random.pick([0, 0.03, 0.1]), () => crashOne(world)],
    [random.pick([0, 0.1]), () => world.pass(VISIBILITY_MS)],
  ];
  for (let rounds = random.below(200); rounds > 0; rounds -= 1) {
    if (world.running.length < 4) world.invoke(random.pick(world.stages));
    for (const [, happen] of happenings.filter(([chance]) => random.chance(chance))) happen();
    await world.scheduler.advance();
  }
}

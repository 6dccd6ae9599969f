import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  at,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  stringifyJson,
} from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { freezeTimers } from './frozen-timers.ts';
import { differences } from './oracle.ts';
import { World } from './world.ts';

const FOLDER = new URL('../fixtures/recordings/', import.meta.url);
const INTERLEAVINGS = 3;
const STAGES = ['record-events', 'aggregate-workload', 'write-results'] as const;

interface RecordedEvent {
  readonly cluster: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: JsonObject;
}

function recordedEvents(file: string): readonly RecordedEvent[] {
  const lines = readFileSync(new URL(file, FOLDER), 'utf8').trimEnd().split('\n');
  // The files hold such events only.
  return lines.map((line) => parseJson(line) as unknown as RecordedEvent);
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Kubernetes' plural of a kind, for the kinds of the recordings. */
function pluralOf(kind: string): string {
  const lower = kind.toLowerCase();
  return lower.endsWith('s') ? `${lower}es` : `${lower}s`;
}

function refOf(object: JsonObject): ObjectRef {
  const [group = '', version] = text(object['apiVersion']).includes('/')
    ? text(object['apiVersion']).split('/')
    : ['', text(object['apiVersion'])];
  return {
    group,
    version: version ?? '',
    resource: pluralOf(text(object['kind'])),
    namespace: text(at(object, 'metadata', 'namespace')),
    name: text(at(object, 'metadata', 'name')),
  };
}

function keyOf({ group, resource, namespace, name }: ObjectRef): string {
  return `${group}/${resource}/${namespace}/${name}`;
}

/** The WDS's object for what is recorded in the WECs: the same, without a status of its own. */
function wdsObject(object: JsonObject): JsonObject {
  const { status: _status, metadata, ...rest } = object;
  const { managedFields: _fields, ...kept } = isObject(metadata) ? metadata : {};
  return { ...rest, metadata: kept };
}

const COLLECTORS: Readonly<Record<string, JsonObject>> = {
  statuses: { select: [{ name: 'status', def: 'returned.status' }] },
  reported: {
    groupBy: [{ name: 'reported', def: 'size(returned.status) > 0' }],
    combinedFields: [{ name: 'wecs', type: 'COUNT' }],
  },
};

function controlObject(kind: string, name: string, spec: JsonObject): JsonObject {
  return { apiVersion: 'control.kubestellar.io/v1alpha1', kind, metadata: { name }, spec };
}

/** Puts what is recorded into the WDS, with a Binding that sends it to all three WECs. */
function prepare(world: World, events: readonly RecordedEvent[]): void {
  const objects = new Map(events.map(({ object }) => [keyOf(refOf(object)), object]));
  const bound = [...objects.values()].map((object) => {
    const ref = refOf(object);
    world.wds.apply(ref, wdsObject(object));
    return {
      ref,
      modulation: { statusCollectors: Object.keys(COLLECTORS), wantMultiWECReportedState: true },
    };
  });
  for (const [name, spec] of Object.entries(COLLECTORS)) {
    const object = controlObject('StatusCollector', name, spec);
    world.wds.apply(refOf(object), object);
  }
  const entries = (isNamespaced: boolean): JsonObject[] =>
    bound
      .filter(({ ref }) => (ref.namespace !== '') === isNamespaced)
      .map(({ ref, modulation }) => ({ ...ref, ...modulation, resourceVersion: '1' }));
  const binding = controlObject('Binding', 'everywhere', {
    destinations: [...world.wecs.keys()].map((clusterId) => ({ clusterId })),
    workload: { namespaceScope: entries(true), clusterScope: entries(false) },
  });
  world.wds.apply(refOf(binding), binding);
}

/** Plays each cluster's events in their order, the clusters interleaved at random with the work of the pipeline. */
async function replay(world: World, events: readonly RecordedEvent[]): Promise<void> {
  const { random } = world.scheduler;
  const queues = Map.groupBy(events, ({ cluster }) => cluster);
  while (queues.size > 0) {
    const name = random.pick([...queues.keys()]);
    const [event, ...rest] = queues.get(name) ?? [];
    if (rest.length > 0) queues.set(name, rest);
    else queues.delete(name);
    if (event?.type === 'DELETED') world.wecs.get(name)?.remove(refOf(event.object));
    else if (event !== undefined) world.wecs.get(name)?.restore(refOf(event.object), event.object);
    await work(world);
  }
}

async function work(world: World): Promise<void> {
  const { random } = world.scheduler;
  for (let turn = random.below(12); turn > 0; turn -= 1) {
    if (world.running.length < 5) world.invoke(random.pick(STAGES));
    await world.scheduler.advance();
  }
}

/** The start of a Job stays as it was first written: the first WEC to be heard of gives it. */
function withoutStart(status: JsonValue | undefined): JsonValue {
  if (!isObject(status)) return status ?? null;
  const { startTime: _start, ...rest } = status;
  return rest;
}

/** What the WDS says of the workload objects, in one text. */
function resultsIn(world: World): string {
  return world.wds
    .objects()
    .filter(({ ref }) => ref.resource === 'combinedstatuses' || !ref.group.includes('kubestellar'))
    .map(({ ref, object }) =>
      stringifyJson([keyOf(ref), withoutStart(object['status']), object['results'] ?? null]),
    )
    .sort()
    .join('\n');
}

freezeTimers();

describe('a recording of real clusters, replayed through the pipeline', () => {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.jsonl'));

  it('is there for every scenario', () => {
    expect(files.length).toBe(20);
  });

  it.each(files)('%s ends equal to a fresh fold, however its clusters interleave', async (file) => {
    const events = recordedEvents(file);
    const ends = new Set<string>();
    for (let seed = 1; seed <= INTERLEAVINGS; seed += 1) {
      const world = new World(seed, ['wec1', 'wec2', 'wec3']);
      prepare(world, events);
      for (const forwarder of world.forwarders) forwarder.start();
      await replay(world, events);
      await world.quiesce();
      expect({ seed, wrong: [...differences(world), ...world.failures.map(String)] }).toEqual({
        seed,
        wrong: [],
      });
      ends.add(resultsIn(world));
    }
    expect(ends.size).toBe(1);
  });
});

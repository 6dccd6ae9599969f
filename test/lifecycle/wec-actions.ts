import type { JsonObject } from '#shared/core/json.ts';
import type { Random } from '#test/simulation/scheduler.ts';
import { type Action, slotKey } from './action.ts';
import type { Cluster } from './clusters.ts';
import { manifest, SLOTS, type Slot } from './kinds.ts';
import type { World } from './world.ts';

function returnedMetadata(slot: Slot, wec: Cluster, random: Random): JsonObject {
  const { namespace, name } = slot.ref;
  const isAnnotated = random.chance(0.3);
  const updated = `2026-01-01T00:00:${10 + random.below(50)}Z`;
  return {
    name,
    ...(namespace === '' ? {} : { namespace }),
    uid: `${wec.name}-${slotKey(slot.ref)}-${random.below(2)}`,
    generation: 1 + random.below(4),
    ...(isAnnotated
      ? { annotations: { 'starfold.dev/source-generation': String(1 + random.below(4)) } }
      : {}),
    ...(random.chance(0.05) ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    managedFields: [
      {
        manager: 'controller',
        operation: 'Update',
        subresource: 'status',
        time: updated,
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:status': {} },
      },
    ],
  };
}

async function setReturnedOf(world: World, slot: Slot, random: Random): Promise<string> {
  const wec = random.pick(world.wecs);
  const { apiVersion, kind, readsGeneration } = slot.kind;
  const standing = await world.wds.api.get(slot.ref);
  const own = slot.kind.content(random);
  const given =
    random.chance(0.7) && standing !== undefined ? { spec: standing['spec'] ?? {} } : own;
  const content = 'spec' in own ? given : own;
  const metadata = returnedMetadata(slot, wec, random);
  const status = slot.kind.status?.(random, content as JsonObject);
  const observed = readsGeneration
    ? { observedGeneration: Number(metadata['generation']) - Number(random.chance(0.15)) }
    : {};
  const told =
    status === undefined || random.chance(0.07) ? {} : { status: { ...observed, ...status } };
  wec.simulated.apply({ apiVersion, kind, metadata, ...content, ...told });
  return `${wec.name} says of ${slotKey(slot.ref)}`;
}

/** A WEC says something of an object. */
export const setReturned: Action = (world, random) =>
  setReturnedOf(world, random.pick(SLOTS), random);

/** A WEC says something of an object that stands in the WDS. */
export const setReturnedStanding: Action = async (world, random) => {
  const standing: Slot[] = [];
  for (const slot of SLOTS)
    if ((await world.wds.api.get(slot.ref)) !== undefined) standing.push(slot);
  return setReturnedOf(world, random.pick(standing.length > 0 ? standing : SLOTS), random);
};

/** A WEC has an object no more. */
export const deleteReturned: Action = async (world, random) => {
  const wec = random.pick(world.wecs);
  const { kind, ref } = random.pick(SLOTS);
  wec.simulated.delete(manifest({ kind, ref }, {}, {}));
  return `${wec.name} loses ${slotKey(ref)}`;
};

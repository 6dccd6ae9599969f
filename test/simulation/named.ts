import { parseBinding } from '#shared/core/binding/binding.ts';
import { namedPartition, namedSortKey } from '#shared/state/named-objects.ts';
import { WDS, type World } from './world.ts';

/** The entries of objects that Bindings name: which are missing, and which should not exist. */
export async function entryDifferences(world: World): Promise<readonly string[]> {
  const wanted = new Set(
    world.wds
      .objects()
      .filter(({ ref }) => ref.resource === 'bindings')
      .flatMap(({ object }) => parseBinding(object).objects.map(namedSortKey)),
  );
  const { items } = await world.store.query({ pk: namedPartition(WDS) });
  const standing = new Set(items.map(({ sk }) => sk));
  return [
    ...[...wanted].filter((sk) => !standing.has(sk)).map((sk) => `the entry ${sk} is missing`),
    ...[...standing]
      .filter((sk) => !wanted.has(sk))
      .map((sk) => `the entry ${sk} should not exist`),
  ];
}

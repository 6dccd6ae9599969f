import { parseBinding } from '#shared/core/binding/binding.ts';
import { stringifyJson } from '#shared/core/json.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import { censusField, readHead } from '#shared/state/head.ts';
import { namedPartition, namedSortKey } from '#shared/state/named-objects.ts';
import { CONTROL } from './objects.ts';
import { freshResult } from './oracle.ts';
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

/** The censuses that are not what a fresh fold of everything gives. */
export async function censusDifferences(world: World): Promise<readonly string[]> {
  const found: string[] = [];
  for (const standing of world.wds.objects()) {
    const { group, resource, namespace, name } = standing.ref;
    if (group === CONTROL.group) continue;
    const workload = { wds: WDS, group, resource, namespace, name };
    const head = await readHead(world.stored, subjectPartition({ type: 'workload', workload }));
    // No Binding names the object, and nothing of it was ever reported.
    if (head.revision === 0) continue;
    const { census } = censusField(freshResult(world, standing).census);
    const [is, wanted] = [head.census, census].map((one) => stringifyJson(one ?? null));
    if (is !== wanted) found.push(`the census of ${name} is ${is}, wanted ${wanted}`);
  }
  return found;
}

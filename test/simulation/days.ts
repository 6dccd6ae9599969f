import { parseBinding } from '#shared/core/binding/binding.ts';
import { RANGE, rowKey } from '#shared/state/keys.ts';
import { decodeRow } from '#shared/state/rows.ts';
import { workloads } from './objects.ts';
import { WDS, type World } from './world.ts';

const DAY_MS = 24 * 3_600_000;

/** Lets days pass. Everything is at rest: no queue keeps a message for so long. */
export async function passDays(world: World, days: number): Promise<void> {
  await world.rest();
  world.pass(days * DAY_MS);
}

/** The forwarders that run list everything anew, as they do every ten hours. */
export async function listAnew(world: World): Promise<void> {
  const listings = world.forwarders
    .filter(({ running }) => running)
    .map((forwarder) => ({ forwarder, since: forwarder.relist() }));
  await world.rest();
  for (const { forwarder, since } of listings) forwarder.endListing(since);
  await world.rest();
}

/** The rows of objects that no Binding names, as `deployments/web in wec1`. */
export async function unnamedRows(world: World): Promise<readonly string[]> {
  const named = new Set(
    world.wds
      .objects()
      .filter(({ ref }) => ref.resource === 'bindings')
      .flatMap(({ object }) => parseBinding(object).objects)
      .map(({ resource, name }) => `${resource}/${name}`),
  );
  const found: string[] = [];
  for (const ref of workloads(world)) {
    const title = `${ref.resource}/${ref.name}`;
    if (named.has(title)) continue;
    const { pk } = rowKey({ wds: WDS, ...ref }, '');
    const { items } = await world.store.query({ pk, from: RANGE.row, to: `${RANGE.row}~` });
    for (const { wec, row } of items.map(decodeRow))
      if (row !== undefined) found.push(`${title} in ${wec}`);
  }
  return found;
}

import * as z from 'zod/mini';
import type { EventSource, EventVersion } from '#shared/core/event.ts';
import type { Item, ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { range, versionText } from '#shared/state/keys.ts';
import { looseObject } from '#shared/state/loose-object.ts';
import { pages } from '#shared/state/pages.ts';

/**
 * All heartbeats share one partition. So the heartbeats are also the list of the sources that have ever reported, and a sweep
 * reads them in a few pages.
 */
const PARTITION = 'HEARTBEATS';

/** The last heartbeat of a source's forwarder. */
export interface SourceHeartbeat {
  /** The name of the source. */
  readonly name: string;
  /** The version, as {@link versionText}. */
  readonly version: string;
  /** The time of recording, in milliseconds since the epoch. */
  readonly heardMs: number;
  /** The version of the forwarder. Absent if the forwarder has not reported it. */
  readonly forwarderVersion?: string;
}

/** What the item of a heartbeat says. */
type ReportedHeartbeat = Pick<SourceHeartbeat, 'heardMs' | 'forwarderVersion'>;

/** The last heartbeat of a WEC's forwarder. */
export interface Heartbeat extends Omit<SourceHeartbeat, 'name'> {
  readonly wec: string;
}

const HEARTBEAT = bodyCodec<ReportedHeartbeat>(
  'heartbeat',
  looseObject({ heardMs: z.number(), forwarderVersion: z.exactOptional(z.string()) }),
);

/** The key of the last heartbeat of a source. */
export function heartbeatKey(source: EventSource): ItemKey {
  return { pk: PARTITION, sk: `${source.type}/${source.name}` };
}

/**
 * The item of a heartbeat. It has the time of recording, not the time that the forwarder claims. Otherwise a WEC with a wrong
 * clock would count as silent.
 */
export function heartbeatItem(
  source: EventSource,
  version: EventVersion,
  reported: number | ReportedHeartbeat,
): Item {
  return {
    ...heartbeatKey(source),
    version: versionText(version),
    body: HEARTBEAT.encode(typeof reported === 'number' ? { heardMs: reported } : reported),
  };
}

/** Decodes when the heartbeat of an item was recorded, and the rest of its content. */
export function decodeHeartbeat(item: Item): ReportedHeartbeat {
  const { heardMs, forwarderVersion } = HEARTBEAT.decode(item);
  return { heardMs, ...(forwarderVersion === undefined ? {} : { forwarderVersion }) };
}

/** Reads the last heartbeat of each source of a type that has ever sent one, by name. */
export async function readSourceHeartbeats(
  store: ItemStore,
  type: EventSource['type'],
): Promise<readonly SourceHeartbeat[]> {
  const heartbeats: SourceHeartbeat[] = [];
  const prefix = `${type}/`;
  for await (const items of pages(store, range(PARTITION, prefix)))
    for (const item of items) {
      const { sk, version = '' } = item;
      heartbeats.push({ name: sk.slice(prefix.length), version, ...decodeHeartbeat(item) });
    }
  return heartbeats;
}

/** Reads the last heartbeat of each WEC that has ever sent one. */
export async function readHeartbeats(store: ItemStore): Promise<readonly Heartbeat[]> {
  const heartbeats = await readSourceHeartbeats(store, 'wec');
  return heartbeats.map(({ name, ...heartbeat }) => ({ wec: name, ...heartbeat }));
}

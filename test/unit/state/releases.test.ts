import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CHECK_VERSION } from '#shared/core/collector/compiled-collector.ts';
import type { JsonValue } from '#shared/core/json.ts';
import type { Topic } from '#shared/core/notification/topic.ts';
import { parseSubject } from '#shared/core/subject.ts';
import { decodeBatch } from '#shared/events/codec.ts';
import { parseDeadLetter } from '#shared/messages/dead-letter.ts';
import { parseDirty, parseHint } from '#shared/messages/dirty.ts';
import { parseNotification } from '#shared/messages/notification.ts';
import { parseRedriven } from '#shared/messages/redriven.ts';
import { contribute } from '#shared/outbox/contributions.ts';
import { decodeNote } from '#shared/outbox/notes.ts';
import { placeTargets } from '#shared/outbox/target-placement.ts';
import type { Item, ItemStore } from '#shared/ports/item-store.ts';
import { readChecks } from '#shared/state/collector-checks.ts';
import {
  BINDING_CONTENT,
  BINDING_RESULT,
  POLICY_CONTENT,
  WORKLOAD_RESULT,
} from '#shared/state/contents.ts';
import { readErrors } from '#shared/state/error-entries.ts';
import { readContacts } from '#shared/state/fleet/contacts.ts';
import {
  BUNDLE_RESULT,
  BUNDLE_ROW,
  CELL_ROW,
  DEPLOYMENT_ROW,
  FLEET_RESULT,
  GROUP_ROW,
} from '#shared/state/fleet/contents.ts';
import { readDifferences } from '#shared/state/fleet/differences.ts';
import {
  type FleetRow,
  readFleetRows,
  readNewestJob,
  readRow,
} from '#shared/state/fleet/fleet-rows.ts';
import { createInventoryStore } from '#shared/state/fleet/inventory.ts';
import { placeRows } from '#shared/state/fleet/placed-object.ts';
import { readApplied, readHead, readResult, resultKey } from '#shared/state/head.ts';
import { readHeard } from '#shared/state/heard.ts';
import { readSourceHeartbeats } from '#shared/state/heartbeats.ts';
import { RANGE, SORT } from '#shared/state/keys.ts';
import { createDestinationStore, readOldestMemberships } from '#shared/state/membership.ts';
import { parseNamedSortKey } from '#shared/state/named-objects.ts';
import { readNotified } from '#shared/state/notified.ts';
import { readObserved } from '#shared/state/observed.ts';
import { decodeOwner } from '#shared/state/owner.ts';
import { readParts } from '#shared/state/parts.ts';
import { objectCounts } from '#shared/state/quota.ts';
import { decodeRow, readRows } from '#shared/state/rows.ts';
import { listSenders } from '#shared/state/senders.ts';
import { readSetAsideOf } from '#shared/state/set-aside.ts';
import { readSilence } from '#shared/state/silence.ts';
import { readSilentAfterTimes } from '#shared/state/silent-after.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { createWecInventories } from '#shared/state/wec-inventories.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

/** What releases have stored and sent, one example of each kind; `record.ts` beside them makes such a file. */
const FOLDER = new URL('../../fixtures/stored/', import.meta.url);

interface StoredItem extends Omit<Item, 'body'> {
  readonly body?: string;
  readonly base64?: string;
}

interface Release {
  readonly items: readonly StoredItem[];
  readonly messages: readonly { readonly queue: string; readonly body: string }[];
}

function itemOf({ base64, body, ...item }: StoredItem): Item {
  if (base64 !== undefined)
    return { ...item, body: Uint8Array.from(Buffer.from(base64, 'base64')) };
  return body === undefined ? item : { ...item, body };
}

/** A later revision than any in a fixture. */
const LATER = 1_000_000;
const NOW = { nowMs: 1_800_000_000_000, notify: () => Promise.resolve() };
const ALL_HASHES = { from: '00000000', to: 'ffffffff' };
const upstreamOf = (pk: string): string => pk.slice(pk.indexOf('#') + 1).split('/')[0] ?? '';

/** A result as the writer reads it. */
function resultOf(pk: string, result: JsonValue): unknown {
  const subject = parseSubject(pk);
  const key = resultKey(subject);
  if (subject.type === 'workload') return WORKLOAD_RESULT.decode(result, key);
  if (subject.type === 'binding') return BINDING_RESULT.decode(result, key);
  if (subject.type !== 'fleet') return result;
  if (subject.resource === 'bundles') BUNDLE_RESULT.decode(result, key);
  return FLEET_RESULT.decode(result, key);
}

/** A row as the aggregation of the object above it reads it. */
function rowOf(pk: string, row: FleetRow): unknown {
  const subject = parseSubject(pk);
  const isSource = subject.type === 'fleet' && /^(gitrepos|helmops)$/.test(subject.resource);
  if (isSource && row.key.sk.startsWith('BUNDLE')) return readRow(BUNDLE_ROW, row);
  if (isSource) return readRow(CELL_ROW, row);
  if (/\/clustergroups\//.test(pk)) return readRow(GROUP_ROW, row);
  return row.own === '' ? row.body : readRow(DEPLOYMENT_ROW, row);
}

/** The topic of a note. */
function topicAt(pk: string, sk: string): Topic {
  const type = sk.slice(RANGE.notified.length);
  if (type === 'silence') return { type, wec: pk.slice('E#wec/'.length) };
  const subject = parseSubject(pk);
  if (subject.type !== 'workload') throw new Error('not a workload object');
  return { type: type === 'verdict' ? 'verdict' : 'refusals', workload: subject.workload };
}

/** The count of the objects of a WEC. `undefined` if it is that of a WEC without an entry. */
async function countOf(store: ItemStore, name: string): Promise<unknown> {
  const [count] = await objectCounts(store, [{ type: 'wec', name }]);
  return count?.objects === 0 ? undefined : count;
}

/** How this release reads each kind of item; the first that its key matches. */
const READERS: readonly (readonly [
  RegExp,
  (store: ItemStore, item: Item) => Promise<unknown> | unknown,
])[] = [
  [/^N#/, (_store, { sk }) => parseNamedSortKey(sk)],
  [/^.* -$/, () => 'no body'],
  [/^INVENTORY /, (store) => createWecInventories(store).read()],
  [/^SENDERS /, (store) => listSenders(store).next()],
  [/^HEARTBEATS /, (store) => readSourceHeartbeats(store, 'wec')],
  [
    /^SILENCE/,
    (store, { pk }) => readSilence(store, pk.includes('#') ? { upstream: upstreamOf(pk) } : {}),
  ],
  [
    /^SILENT-AFTER \d+\|W\|/,
    async (store, { sk }) => [
      await readSilentAfterTimes(store),
      await readSilence(store, { silentAfterMs: Number(sk.slice(0, 6)) * 1000 }),
    ],
  ],
  [/^HEARD /, (store) => readHeard(store)],
  [/^ASIDE /, (store, { sk }) => readSetAsideOf(store, sk)],
  [/^E#wec\/.* OBJECTS /, (store, { pk }) => countOf(store, pk.slice('E#wec/'.length))],
  [/^CONTACTS#/, (store, { pk }) => readContacts(store, upstreamOf(pk))],
  [/^FLEETDIFF#/, (store, { pk }) => readDifferences(store, upstreamOf(pk))],
  [/^O#/, (_store, item) => decodeOwner(item)],
  [/^S#/, (store, { pk }) => createSpecStore(store).get([pk.slice('S#'.length)])],
  [
    /^I#/,
    (store, { pk }) => {
      const [upstream = '', namespace = ''] = pk.slice('I#'.length).split('/');
      return createInventoryStore(store).surroundings({ upstream, namespace });
    },
  ],
  [
    /^P#/,
    (store, { pk, sk }) => placeRows(store, { key: { pk, sk }, version: '9', rows: [] }, NOW.nowMs),
  ],
  [/ HEAD /, (store, { pk }) => readHead(store, pk)],
  [/ APPLIED /, (store, { pk }) => readApplied(store, pk)],
  [
    / (OBJECT|SPEC|POLICY) /,
    async (store, { pk, sk }) => {
      const [observed] = await readObserved(store, [{ pk, sk }]);
      const content = observed?.content;
      if (!pk.startsWith('B#') || content === undefined) return observed;
      return (sk === 'POLICY' ? POLICY_CONTENT : BINDING_CONTENT).decode(content, { pk, sk });
    },
  ],
  [
    / RESULT#/,
    async (store, { pk, sk }) => {
      const [, revision = '', hash = ''] = sk.split('#');
      const name = { hash, resultRevision: Number(revision), resultChunks: 1 };
      return resultOf(pk, (await readResult(store, pk, name)) ?? null);
    },
  ],
  [
    / DEST#/,
    (store, { pk, sk }) => {
      const [, revision = '', hash = ''] = sk.split('#');
      return createDestinationStore(store).get(pk, { hash, revision: Number(revision), chunks: 1 });
    },
  ],
  [
    /^C#.* CHECK#/,
    async (store, { pk, sk }) =>
      sk.endsWith(`#${CHECK_VERSION}`) ? (await readChecks(store, [pk]))[0] : 'of other rules',
  ],
  [/ NOTIFIED#/, (store, { pk, sk }) => readNotified(store, topicAt(pk, sk))],
  [/ (MEMBER|TOLD)#/, (_store, item) => decodeNote(item)],
  [/^W#.* BINDING#/, (store, { pk }) => readOldestMemberships(store, pk)],
  [/ ERROR#/, (store, { pk }) => readErrors(store, pk)],
  [/ R#/, async (store, item) => [decodeRow(item), await readRows(store, item.pk, ALL_HASHES)]],
  [
    / PART#/,
    (store, { pk, sk }) => {
      const [, table = '', layoutRevision] = sk.split('#');
      return layoutRevision === undefined || /^\d+$/.test(table)
        ? readParts(store, { pk, layoutRevision: Number(table) })
        : readParts(store, { pk, table, layoutRevision: Number(layoutRevision) });
    },
  ],
  [
    / CONTRIBUTED /,
    (store, { pk }) => contribute(store, { pk, revision: LATER, wanted: [], ...NOW }),
  ],
  [
    / TARGETS /,
    (store, { pk }) =>
      placeTargets(
        { store, destinations: createDestinationStore(store) },
        {
          ...{ pk, revision: LATER, keyOf: () => undefined, ...NOW },
          wanted: { list: { hash: 'none', revision: LATER, chunks: 1 }, body: {} },
        },
      ),
  ],
  [
    /^F#.* JOB#/,
    (store, { pk }) => {
      const subject = parseSubject(pk);
      return subject.type === 'fleet' ? readNewestJob(store, subject) : undefined;
    },
  ],
  [
    /^F#.* (BUNDLE|CLUSTER)#/,
    async (store, { pk, sk }) => {
      const family = sk.startsWith('BUNDLE') ? 'BUNDLE' : 'CLUSTER';
      const rows = await readFleetRows(store, { pk, family }, ALL_HASHES);
      return rows.map((row) => rowOf(pk, row));
    },
  ],
];

/** What reads the messages between functions, by their queue. */
const PARSERS: ReadonlyMap<string, (body: string) => unknown> = new Map<
  string,
  (body: string) => unknown
>([
  ['dirty', parseDirty],
  ['hints', parseHint],
  ['notifications', parseNotification],
]);

function titleOf({ pk, sk, body }: Item): string {
  return `${pk} ${sk} ${body === undefined ? '-' : ''}`;
}

const RELEASES = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.json'))
  .map((name) => {
    // A fixture is what `record.ts` printed.
    const release = JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as Release;
    return [name, release] as const;
  });

it('has an example of each kind of entry that the layout of the table names', () => {
  const keys = RELEASES.flatMap(([, { items }]) => items.map(({ sk }) => sk));
  // Only an embedded stack stores epochs, as a version without a body.
  const { epoch: _epoch, ...sorts } = SORT;
  expect(Object.values(sorts).filter((sort) => !keys.includes(sort))).toEqual([]);
  const ranges = Object.values(RANGE);
  expect(ranges.filter((prefix) => !keys.some((sk) => sk.startsWith(prefix)))).toEqual([]);
});

describe.each(RELEASES)('what the release of %s has', (_name, release) => {
  const items = release.items.map(itemOf);

  it.each(items.map((item) => [titleOf(item), item] as const))(
    'stored is read: %s',
    async (title, item) => {
      const store = createMemoryItemStore();
      await store.put(items.map((one) => ({ item: one })));
      const reader = READERS.find(([key]) => key.test(title));
      expect(reader, 'a reader of this kind').toBeDefined();
      expect(await reader?.[1](store, item)).toBeDefined();
    },
  );

  it.each(release.messages)('sent is read: $queue $body', ({ queue, body }) => {
    const parse = PARSERS.get(queue);
    if (parse !== undefined) expect(parse(body)).toBeDefined();
    else if (body.includes('.dead-letter.')) expect(parseDeadLetter(body)).toBeDefined();
    else if (body.includes('.redriven.')) expect(parseRedriven(body)).toBeDefined();
    else expect(decodeBatch(body)).toMatchObject({ refused: 0, errors: [] });
  });
});

import { contentHash } from '#shared/content-hash.ts';
import type { BoundObject } from '#shared/core/binding/binding.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { stringifyJson } from '#shared/core/json.ts';
import { objectKey, type WorkloadRef, workloadKey } from '#shared/core/workload.ts';
import { type ChangeTime, earliestChange, encodeDirty } from '#shared/messages/dirty.ts';
import { deliver } from '#shared/outbox/deliver.ts';
import { decodeNote, markNotesSent, type Note, putNotes } from '#shared/outbox/notes.ts';
import type { Item, Put } from '#shared/ports/item-store.ts';
import { RANGE, range, sortableNumber } from '#shared/state/keys.ts';
import {
  type DestinationsName,
  type Membership,
  membershipBody,
} from '#shared/state/membership.ts';
import { tombstoneExpiry } from '#shared/state/rows.ts';
import type { BindingState } from './binding-state.ts';
import type { AggregateDeps } from './deps.ts';

/** One page of the members of a Binding, for one revision of its head, and the time when the Binding was changed. */
export interface MembersPage extends ChangeTime {
  readonly pk: string;
  readonly wds: string;
  readonly binding: string;
  readonly revision: number;
  readonly destinations: DestinationsName;
  /** The page begins after this member. `''`: the first page. */
  readonly after: string;
}

const PAGE_SIZE = 100;
const LAST = '\u{10ffff}';
/** No membership has this hash. */
const DELETED = 'deleted';

/** A member that has to change. */
interface Change {
  /** Key of the object. */
  readonly name: string;
  readonly workload: WorkloadRef;
  readonly membership: Membership | undefined;
  readonly hash: string;
}

function membershipOf(state: BindingState, page: MembersPage, object: BoundObject): Membership {
  const { modulation, version } = object;
  return {
    binding: page.binding,
    bindingUid: state.uid,
    ...(state.policyUid === undefined ? {} : { policyUid: state.policyUid }),
    ...(state.created === '' ? {} : { created: state.created }),
    version,
    modulation,
    ...(state.silentAfterMs === undefined ? {} : { silentAfterMs: state.silentAfterMs }),
    destinations: page.destinations,
    collectorVersions: modulation.statusCollectors.map(
      (name) => state.collectorVersions.get(name) ?? '',
    ),
  };
}

/** A Membership is plain JSON. */
function asJson(value: object): JsonObject {
  return value as JsonObject;
}

function parseMemberKey(wds: string, key: string): WorkloadRef {
  const [group = '', resource = '', namespace = '', name = ''] = key.split('/');
  return { wds, group, resource, namespace, name };
}

async function storedMembers(
  deps: AggregateDeps,
  page: MembersPage,
): Promise<{ readonly members: ReadonlyMap<string, Note>; readonly upTo: string }> {
  const bounds = range(page.pk, RANGE.member);
  const { items, cursor } = await deps.store.query({
    ...bounds,
    from: `${RANGE.member}${page.after}${page.after === '' ? '' : '\u0000'}`,
    limit: PAGE_SIZE,
  });
  const keyOf = (item: Item): string => item.sk.slice(RANGE.member.length);
  const members = new Map(items.map((item) => [keyOf(item), decodeNote(item)]));
  const last = items.at(-1);
  return { members, upTo: cursor === undefined || last === undefined ? LAST : keyOf(last) };
}

/** The next objects of the spec, and the last key of the page. */
function wantedOf(
  state: BindingState,
  after: string,
  upTo: string,
): { readonly wanted: ReadonlyMap<string, BoundObject>; readonly upTo: string } {
  const rest = state.spec.objects
    .map((object) => [objectKey(object), object] as const)
    .filter(([key]) => key > after && key <= upTo);
  const wanted = new Map(rest.slice(0, PAGE_SIZE));
  const last = rest[PAGE_SIZE - 1];
  return { wanted, upTo: rest.length > PAGE_SIZE && last !== undefined ? last[0] : upTo };
}

function changesOf(
  state: BindingState,
  page: MembersPage,
  stored: { readonly members: ReadonlyMap<string, Note>; readonly upTo: string },
): { readonly changes: readonly Change[]; readonly upTo: string } {
  const { wanted, upTo } = wantedOf(state, page.after, stored.upTo);
  const keys = new Set([...stored.members.keys(), ...wanted.keys()]);
  const changes: Change[] = [];
  for (const key of keys) {
    if (key > upTo) continue;
    const object = wanted.get(key);
    const membership = object && membershipOf(state, page, object);
    const hash = membership ? contentHash(stringifyJson(asJson(membership))) : DELETED;
    const member = stored.members.get(key);
    if (member?.hash === hash && member.told) continue;
    changes.push({ name: key, workload: parseMemberKey(page.wds, key), membership, hash });
  }
  return { changes, upTo };
}

function membershipItem(deps: AggregateDeps, page: MembersPage, change: Change): Item {
  const key = {
    pk: `W#${workloadKey(change.workload)}`,
    sk: `${RANGE.membership}${page.binding}`,
    version: sortableNumber(page.revision),
  };
  return change.membership === undefined
    ? { ...key, body: membershipBody({ deleted: true }), expiresAt: tombstoneExpiry(deps.clock()) }
    : { ...key, body: membershipBody(change.membership) };
}

/**
 * Updates one page of the memberships of a Binding by its spec: stores the changed memberships below the workload objects, and
 * notifies these objects ({@link deliver}).
 *
 * @returns the start of the next page, `undefined` after the last page; `outdated` if the head has a later revision by now
 */
export async function syncMembers(
  deps: AggregateDeps,
  state: BindingState,
  page: MembersPage,
): Promise<{ readonly next: string | undefined } | 'outdated'> {
  const { store } = deps;
  const { changes, upTo } = changesOf(state, page, await storedMembers(deps, page));
  const next = upTo === LAST ? undefined : upTo;
  if (changes.length === 0) return { next };
  const notesOf = { pk: page.pk, prefix: RANGE.member, revision: page.revision };
  const delivered = await deliver({
    note: async () => ((await putNotes(store, notesOf, changes)) ? changes : 'outdated'),
    put: () =>
      store.put(
        changes.map(
          (change): Put => ({
            item: membershipItem(deps, page, change),
            condition: { type: 'newer' },
          }),
        ),
      ),
    send: () =>
      deps.dirty.send(
        changes.map(({ workload }) =>
          encodeDirty(
            { type: 'subject', subject: { type: 'workload', workload }, ...earliestChange([page]) },
            `member ${page.binding} ${page.revision}`,
          ),
        ),
      ),
    markSent: () =>
      markNotesSent(store, notesOf, { notes: changes, isOver: ({ hash }) => hash === DELETED }),
  });
  return delivered === 'outdated' ? delivered : { next };
}

import { contentHash } from '#shared/content-hash.ts';
import type { BoundObject } from '#shared/core/binding/binding.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { stringifyJson } from '#shared/core/json.ts';
import { isWithoutStatus } from '#shared/core/without-status.ts';
import { objectKey, type WorkloadRef } from '#shared/core/workload.ts';
import type { ChangeTime } from '#shared/messages/change-time.ts';
import { decodeNote, type Note } from '#shared/outbox/notes.ts';
import type { Item } from '#shared/ports/item-store.ts';
import { RANGE, range } from '#shared/state/keys.ts';
import type { DestinationsName, Membership } from '#shared/state/membership.ts';
import type { BindingState } from './binding-state.ts';
import type { AggregateDeps } from './deps.ts';
import { factsHash } from './wec-facts.ts';

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

/** The number of members in a page. */
const PAGE_SIZE = 100;
const LAST = '\u{10ffff}';
/** The hash of the note of a member that is no longer wanted. No membership has it. */
export const DELETED = 'deleted';

/** A member that has to change. */
export interface MemberChange {
  /** Key of the object. */
  readonly name: string;
  readonly workload: WorkloadRef;
  readonly membership: Membership | undefined;
  readonly hash: string;
}

/** Some members as the Binding wants them, and their stored notes, by key. */
interface ComparedMembers {
  readonly wanted: ReadonlyMap<string, BoundObject>;
  readonly members: ReadonlyMap<string, Note>;
}

function membershipOf(state: BindingState, page: MembersPage, object: BoundObject): Membership {
  const { modulation, version } = object;
  const wecFacts = factsHash(state.wecFacts, modulation);
  return {
    binding: page.binding,
    bindingUid: state.uid,
    ...(state.policyUid === undefined ? {} : { policyUid: state.policyUid }),
    ...(state.created === '' ? {} : { created: state.created }),
    version,
    modulation,
    ...(state.silentAfterMs === undefined ? {} : { silentAfterMs: state.silentAfterMs }),
    ...(wecFacts === undefined ? {} : { wecFacts }),
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

/**
 * The objects whose notifications precede all pages: the first page of those with a status, if the Binding also names objects
 * without one. In the order of keys, a thousand ConfigMaps and Secrets would precede each Deployment.
 */
function urgentOf({ spec }: BindingState): ReadonlyMap<string, BoundObject> {
  const urgent = spec.objects.filter((object) => !isWithoutStatus(object));
  if (urgent.length === spec.objects.length) return new Map();
  return new Map(urgent.slice(0, PAGE_SIZE).map((object) => [objectKey(object), object]));
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
  { wanted, members }: ComparedMembers,
): readonly MemberChange[] {
  const changes: MemberChange[] = [];
  for (const key of new Set([...members.keys(), ...wanted.keys()])) {
    const object = wanted.get(key);
    const membership = object && membershipOf(state, page, object);
    const hash = membership ? contentHash(stringifyJson(asJson(membership))) : DELETED;
    const member = members.get(key);
    if (member?.hash === hash && member.sent) continue;
    changes.push({ name: key, workload: parseMemberKey(page.wds, key), membership, hash });
  }
  return changes;
}

/** The changes whose notifications precede all pages. */
export async function urgentChanges(
  deps: AggregateDeps,
  state: BindingState,
  page: MembersPage,
): Promise<readonly MemberChange[]> {
  const wanted = urgentOf(state);
  const names = [...wanted.keys()];
  const keys = names.map((name) => ({ pk: page.pk, sk: `${RANGE.member}${name}` }));
  const items = names.length === 0 ? [] : await deps.store.get(keys);
  const members = new Map(
    names.flatMap((name, index) => {
      const item = items[index];
      return item === undefined ? [] : [[name, decodeNote(item)] as const];
    }),
  );
  return changesOf(state, page, { wanted, members });
}

/** The changes of a page, and the start of the next page, `undefined` after the last page. */
export async function pageChanges(
  deps: AggregateDeps,
  state: BindingState,
  page: MembersPage,
): Promise<{ readonly changes: readonly MemberChange[]; readonly next: string | undefined }> {
  const stored = await storedMembers(deps, page);
  const { wanted, upTo } = wantedOf(state, page.after, stored.upTo);
  const members = new Map([...stored.members].filter(([key]) => key <= upTo));
  const changes = changesOf(state, page, { wanted, members });
  return { changes, next: upTo === LAST ? undefined : upTo };
}

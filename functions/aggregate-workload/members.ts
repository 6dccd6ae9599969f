import { workloadPartition } from '#shared/core/subject.ts';
import { earliestChange } from '#shared/messages/change-time.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import { deliver } from '#shared/outbox/deliver.ts';
import { markNotesSent, putNotes } from '#shared/outbox/notes.ts';
import type { Item, Put } from '#shared/ports/item-store.ts';
import { RANGE, sortableNumber } from '#shared/state/keys.ts';
import { membershipBody } from '#shared/state/membership.ts';
import { tombstoneExpiry } from '#shared/state/rows.ts';
import type { BindingState } from './binding-state.ts';
import type { AggregateDeps } from './deps.ts';
import {
  DELETED,
  type MemberChange,
  type MembersPage,
  pageChanges,
  urgentChanges,
} from './member-changes.ts';

function membershipItem(deps: AggregateDeps, page: MembersPage, change: MemberChange): Item {
  const key = {
    pk: workloadPartition(change.workload),
    sk: `${RANGE.membership}${page.binding}`,
    version: sortableNumber(page.revision),
  };
  return change.membership === undefined
    ? { ...key, body: membershipBody({ deleted: true }), expiresAt: tombstoneExpiry(deps.clock()) }
    : { ...key, body: membershipBody(change.membership) };
}

/** Stores changed memberships below the workload objects, and notifies these objects ({@link deliver}). */
async function deliverChanges(
  deps: AggregateDeps,
  page: MembersPage,
  changes: readonly MemberChange[],
): Promise<'delivered' | 'outdated'> {
  if (changes.length === 0) return 'delivered';
  const { store } = deps;
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
  return delivered === 'outdated' ? delivered : 'delivered';
}

/**
 * Updates one page of the memberships of a Binding by its spec. Before the first page, it updates objects with a status, so
 * that they need not wait for the pages of others.
 *
 * @returns the start of the next page, `undefined` after the last page; `outdated` if the head has a later revision by now
 */
export async function syncMembers(
  deps: AggregateDeps,
  state: BindingState,
  page: MembersPage,
): Promise<{ readonly next: string | undefined } | 'outdated'> {
  if (page.after === '') {
    const urgent = await urgentChanges(deps, state, page);
    if ((await deliverChanges(deps, page, urgent)) === 'outdated') return 'outdated';
  }
  const { changes, next } = await pageChanges(deps, state, page);
  if ((await deliverChanges(deps, page, changes)) === 'outdated') return 'outdated';
  return { next };
}

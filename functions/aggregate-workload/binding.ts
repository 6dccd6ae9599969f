import type { WecsReporting } from '#shared/core/binding/wecs-reporting.ts';
import type { EventSource } from '#shared/core/event.ts';
import type { JsonValue } from '#shared/core/json.ts';
import { resourceErrors } from '#shared/core/schema/schema-errors.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import { type ChangeTime, earliestChange } from '#shared/messages/change-time.ts';
import { type DirtyMessage, encodeDirty } from '#shared/messages/dirty.ts';
import { BINDING_RESULT } from '#shared/state/contents.ts';
import { readErrors } from '#shared/state/error-entries.ts';
import { type Head, readHead } from '#shared/state/head.ts';
import { markFollowed } from '#shared/state/listings.ts';
import { retryContention } from '#shared/state/retry-contention.ts';
import { awaiting, isUnsettled, lookAtWds, notAsked } from './awaited.ts';
import { type BindingState, type BindingSubject, readBindingState } from './binding-state.ts';
import { checkLater } from './check-later.ts';
import type { AggregateDeps } from './deps.ts';
import type { UncheckedCollectors } from './load-collectors.ts';
import { syncMembers } from './members.ts';
import { readReporting, sendsToOne } from './reporting.ts';
import { readSchemaErrors } from './schema-check.ts';
import { forgetTime, hintUnlessApplied, settle } from './settle.ts';

/** Whether there is no policy, or the policy is being deleted. Such a policy no longer has any effect. */
function isOver({ policy }: BindingState): boolean {
  return policy === undefined || policy.deleting === true;
}

async function desiredStatus(
  deps: AggregateDeps,
  subject: BindingSubject,
  { reporting, ...state }: BindingState & { readonly reporting?: WecsReporting },
): Promise<JsonValue> {
  if (state.uid === '' && isOver(state)) return BINDING_RESULT.encode(null);
  const { objects, errors } = state.spec;
  const schemaErrors = await readSchemaErrors(deps, subject, { ...state, objects });
  const found = await readErrors(deps.store, subjectPartition(subject));
  return BINDING_RESULT.encode({
    missingCollectors: state.missingCollectors,
    ...(state.invalidCollectors.length === 0 ? {} : { invalidCollectors: state.invalidCollectors }),
    ...(reporting && { reporting }),
    errors: [...errors, ...resourceErrors(objects), ...schemaErrors, ...found],
    policyErrors: state.policy?.errors ?? [],
  });
}

/** The head that was put, and the collectors that are not checked yet. */
interface Settled {
  readonly head: Head;
  readonly unchecked: UncheckedCollectors;
}

async function settleBinding(
  deps: AggregateDeps,
  subject: BindingSubject,
  silenceOf: readonly string[] | undefined,
): Promise<Settled | 'again' | 'unconcerned'> {
  const pk = subjectPartition(subject);
  const head = await readHead(deps.store, pk);
  const isAsked = await isUnsettled(deps, subject, head);
  const wds: EventSource = { type: 'wds', name: subject.wds };
  const missing = isAsked ? await deps.listings.missing([wds]) : [];
  const { state, consumed } = await readBindingState(deps, subject);
  if (silenceOf !== undefined && !sendsToOne(state, silenceOf)) return 'unconcerned';
  const reportingState = await readReporting(deps, { pk, head, state });
  if (reportingState === 'again') return reportingState;
  const { silentAfterMs, ...reporting } = reportingState;
  const destinations = await deps.destinations.put(pk, state.spec.destinations, {
    before: head.destinations,
    revision: head.revision + 1,
  });
  const desired = await desiredStatus(deps, subject, { ...state, ...reporting });
  // The errors of the workload objects depend on what the WECs report.
  const wecs = state.spec.destinations.map((name): EventSource => ({ type: 'wec', name }));
  const awaits = isAsked
    ? await awaiting(deps, { subject, head }, [...missing, ...(await deps.listings.missing(wecs))])
    : notAsked(head);
  if (awaits === 'again') return awaits;
  const { silentAfterMs: formerTime, ...former } = head;
  const timed = silentAfterMs === undefined ? {} : { silentAfterMs };
  const kept = { consumed, destinations, ...awaits, ...timed };
  const next = await settle(deps, subject, { head: former, desired, kept });
  if (next === undefined) return 'again';
  await forgetTime(deps, { pk, head: next }, formerTime);
  return { head: next, unchecked: state.uncheckedCollectors };
}

/** What has changed in the inputs of the results of a Binding, and when. */
export interface BindingChange {
  readonly change: ChangeTime;
  readonly silenceOf?: readonly string[];
}

/**
 * Settles the desired status of a Binding and of its BindingPolicy. Then updates the memberships of the workload objects of the
 * Binding, page by page.
 *
 * @param silenceOf if present, nothing has changed except which of these WECs are silent or have ever sent a heartbeat. A
 *   Binding that sends to none of these WECs has nothing to do. Absent: something else may have changed.
 * @throws ContentionError
 */
export async function aggregateBinding(
  deps: AggregateDeps,
  subject: BindingSubject,
  { change, silenceOf }: BindingChange,
): Promise<void> {
  await retryContention(`Binding ${subject.name}`, async () => {
    const settled = await settleBinding(deps, subject, silenceOf);
    if (settled === 'unconcerned') return true;
    if (settled === 'again') return false;
    const { head, unchecked } = settled;
    await hintUnlessApplied(deps, subject, { head, change });
    await followMembers(deps, {
      type: 'members',
      wds: subject.wds,
      binding: subject.name,
      revision: head.revision,
      cursor: '',
      ...change,
    });
    await checkLater(deps, subject, { unchecked, head, change });
    return true;
  });
}

/** A subject that waits for a WDS also waits for the Bindings of the WDS. */
async function noteFollowed(
  deps: AggregateDeps,
  subject: BindingSubject,
  message: Extract<DirtyMessage, { type: 'members' }>,
): Promise<void> {
  if (deps.followedWdses.has(subject.wds)) return;
  await markFollowed(deps.store, subject, message.revision);
  await lookAtWds(deps, subject.wds, earliestChange([message]));
}

/** Handles one page of a Binding's workload objects and sends the message for the next one. */
export async function followMembers(
  deps: AggregateDeps,
  message: Extract<DirtyMessage, { type: 'members' }>,
): Promise<void> {
  const subject: BindingSubject = { type: 'binding', wds: message.wds, name: message.binding };
  const pk = subjectPartition(subject);
  const head = await readHead(deps.store, pk);
  // If there is a later revision, the aggregation of that revision processes all members.
  if (head.revision !== message.revision || head.destinations === undefined) return;
  const { state } = await readBindingState(deps, subject);
  const page = { pk, wds: message.wds, binding: message.binding, revision: message.revision };
  const synced = await syncMembers(deps, state, {
    ...page,
    destinations: head.destinations,
    after: message.cursor,
    ...earliestChange([message]),
  });
  // The aggregation that put the later revision processes all members. If the later revision set the Binding aside, the members
  // are not processed until the Binding is retried. The memberships need the destinations that they name until then.
  if (synced === 'outdated') return;
  const { next: cursor } = synced;
  if (cursor === undefined) {
    await deps.destinations.removeBefore(pk, head.destinations);
    await noteFollowed(deps, subject, message);
  } else
    await deps.dirty.send([
      encodeDirty({ ...message, cursor }, `members ${message.revision} ${cursor}`),
    ]);
}

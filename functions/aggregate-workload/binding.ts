import type { BindingSpec } from '#shared/core/binding/binding.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import { type JsonValue, member } from '#shared/core/json.ts';
import { ContentionError } from '#shared/errors.ts';
import { type DirtyMessage, encodeDirty } from '#shared/messages/dirty.ts';
import { readErrors } from '#shared/state/error-entries.ts';
import { type Head, readHead } from '#shared/state/head.ts';
import { RANGE, SORT, type Subject, subjectPartition } from '#shared/state/keys.ts';
import { type Observed, readObserved } from '#shared/state/observed.ts';
import type { AggregateDeps } from './deps.ts';
import { syncMembers } from './members.ts';
import { hintUnlessApplied, MAX_ATTEMPTS, settle } from './settle.ts';

type BindingSubject = Extract<Subject, { type: 'binding' }>;

/** A Binding as record-events keeps it, and what stands around it. */
export interface BindingState {
  readonly uid: string;
  readonly policyUid: string | undefined;
  readonly spec: BindingSpec;
  /** Content versions of the collectors that the Binding names; `''` for one that does not exist. */
  readonly collectorVersions: ReadonlyMap<string, string>;
  /** Names of the collectors that do not exist or are invalid, sorted. */
  readonly missingCollectors: readonly string[];
}

const EMPTY_SPEC: BindingSpec = { destinations: [], objects: [], errors: [] };

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** UID of the BindingPolicy: of the one that stands there, else of the one that owns the Binding. */
function policyUidOf(
  binding: JsonValue | undefined,
  policy: Observed | undefined,
): string | undefined {
  return text(member(policy?.content, 'uid')) || text(member(binding, 'policyUid')) || undefined;
}

function collectorsOf(spec: BindingSpec): readonly string[] {
  return [...new Set(spec.objects.flatMap((object) => object.modulation.statusCollectors))].sort();
}

/** Entries under which a collector finds the Bindings that name it: put before the collector is read. */
async function indexCollectors(
  deps: AggregateDeps,
  subject: BindingSubject,
  names: readonly string[],
): Promise<void> {
  const keys = names.map((name) => ({
    pk: subjectPartition({ type: 'collector', wds: subject.wds, name }),
    sk: `${RANGE.membership}${subject.name}`,
  }));
  const present = await deps.store.get(keys);
  const missing = keys.filter((_key, index) => present[index] === undefined);
  if (missing.length > 0) await deps.store.put(missing.map((item) => ({ item })));
}

/** Reads everything that a Binding's results and memberships follow from. */
export async function readBindingState(
  deps: AggregateDeps,
  subject: BindingSubject,
): Promise<{ readonly state: BindingState; readonly seen: Record<string, string> }> {
  const pk = subjectPartition(subject);
  const [binding, policy] = await readObserved(deps.store, [
    { pk, sk: SORT.spec },
    { pk, sk: SORT.policy },
  ]);
  const content = binding?.content;
  // record-events stored a parsed spec under these names.
  const spec = content === undefined ? EMPTY_SPEC : (content as unknown as BindingSpec);
  const names = collectorsOf(spec);
  await indexCollectors(deps, subject, names);
  const collectors = await readObserved(
    deps.store,
    names.map((name) => ({
      pk: subjectPartition({ type: 'collector', wds: subject.wds, name }),
      sk: SORT.spec,
    })),
  );
  const usable = (collector: Observed | undefined): boolean =>
    collector?.content !== undefined &&
    compileStatusCollector(member(collector.content, 'spec') ?? {}).ok;
  return {
    state: {
      uid: text(member(content, 'uid')),
      policyUid: policyUidOf(content, policy),
      spec,
      collectorVersions: new Map(
        names.map((name, index) => [name, collectors[index]?.contentVersion ?? '']),
      ),
      missingCollectors: names.filter((_name, index) => !usable(collectors[index])),
    },
    seen: {
      [SORT.spec]: binding?.contentVersion ?? '',
      [SORT.policy]: policy?.contentVersion ?? '',
    },
  };
}

async function desiredStatus(
  deps: AggregateDeps,
  pk: string,
  state: BindingState,
): Promise<JsonValue> {
  if (state.uid === '') return null;
  return {
    missingCollectors: state.missingCollectors,
    errors: [...state.spec.errors, ...(await readErrors(deps.store, pk))],
  };
}

async function settleBinding(
  deps: AggregateDeps,
  subject: BindingSubject,
): Promise<Head | undefined> {
  const pk = subjectPartition(subject);
  const head = await readHead(deps.store, pk);
  const { state, seen } = await readBindingState(deps, subject);
  const destinations = await deps.destinations.put(pk, state.spec.destinations, {
    before: head.destinations,
    revision: head.revision + 1,
  });
  const desired = await desiredStatus(deps, pk, state);
  return settle(deps, subject, { head, desired, kept: { seen, destinations } });
}

/**
 * Settles what the status of a Binding and of its BindingPolicy should say, then makes the memberships of its workload
 * objects follow it, page by page.
 *
 * @throws ContentionError
 */
export async function aggregateBinding(
  deps: AggregateDeps,
  subject: BindingSubject,
): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const head = await settleBinding(deps, subject);
    if (head === undefined) continue;
    await hintUnlessApplied(deps, subject, head);
    await followMembers(deps, {
      type: 'members',
      wds: subject.wds,
      binding: subject.name,
      revision: head.revision,
      cursor: '',
    });
    return;
  }
  throw new ContentionError(`Binding ${subject.name}`);
}

/** Handles one page of a Binding's workload objects and sends the message for the next one. */
export async function followMembers(
  deps: AggregateDeps,
  message: Extract<DirtyMessage, { type: 'members' }>,
): Promise<void> {
  const subject: BindingSubject = { type: 'binding', wds: message.wds, name: message.binding };
  const pk = subjectPartition(subject);
  const head = await readHead(deps.store, pk);
  // A later revision goes through all members itself.
  if (head.revision !== message.revision || head.destinations === undefined) return;
  const { state } = await readBindingState(deps, subject);
  const page = { pk, wds: message.wds, binding: message.binding, revision: message.revision };
  const cursor = await syncMembers(deps, state, {
    ...page,
    destinations: head.destinations,
    after: message.cursor,
  });
  if (cursor === undefined) await deps.destinations.removeBefore(pk, head.destinations);
  else
    await deps.dirty.send([
      encodeDirty({ ...message, cursor }, `members ${message.revision} ${cursor}`),
    ]);
}

import type { JsonValue } from '#shared/core/json.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import { earliestChange } from '#shared/messages/change-time.ts';
import type { ItemKey } from '#shared/ports/item-store.ts';
import { type Head, lacksEntry, type OwnedHashes, readHeadAndApplied } from '#shared/state/head.ts';
import { reportedKey, versionText } from '#shared/state/keys.ts';
import { hasEndedListing } from '#shared/state/listings.ts';
import { type ObservedOutcome, writeObserved } from '#shared/state/observed.ts';
import { ABSENT } from '#shared/state/owned-hashes.ts';
import { tombstoneExpiry } from '#shared/state/rows.ts';
import { putStrays } from '#shared/state/strays.ts';
import type { FollowUps, ReceivedEvent, RecordDeps } from './follow-ups.ts';
import { readSnapshotVersion } from './tombstones.ts';

/** An object of an API server that Starfold writes to: its content as an input, and what it shows of earlier writes. */
export interface OwnedObject {
  readonly subject: Subject;
  /** The sort key of the observed item below the subject. Absent if the object is only output. */
  readonly input?: string;
  /** The content of an input to store; undefined if the object was deleted. */
  readonly content: JsonValue | undefined;
  /** Says what is kept of a listed input, besides its content. */
  readonly found?: () => string | undefined;
  /** As in the event. */
  readonly first: boolean;
  /** Whether an inventory finds the subject by the entries of its source, to notify it. */
  readonly isWalked?: true;
  /** The name under which the hashes of the object are recorded. */
  readonly ownedName: string;
  /** Returns the owned hash in the event, or `ABSENT` if the object was deleted. */
  readonly observed: (recorded: OwnedHashes | undefined) => string;
  /** The name of an object that is only output. */
  readonly object: { readonly namespace: string; readonly name: string };
}

/**
 * Stores the input of an event. An event that is older than the last complete listing of its source stores that the object was
 * deleted. The snapshot version is read after the input was written, as for rows.
 */
async function writeInput(
  deps: RecordDeps,
  event: ReceivedEvent,
  statement: {
    readonly key: ItemKey;
    readonly content: JsonValue | undefined;
    readonly found: OwnedObject['found'];
    readonly isListed: boolean;
    readonly beforeFirst: () => Promise<void>;
  },
): Promise<ObservedOutcome> {
  const version = versionText(event.version);
  const expiresAt = tombstoneExpiry(deps.clock());
  const write = (at: string, content: JsonValue | undefined): Promise<ObservedOutcome> =>
    writeObserved(deps.store, {
      key: statement.key,
      version: at,
      content,
      ...(statement.found && { found: statement.found, isListed: statement.isListed }),
      beforeFirst: statement.beforeFirst,
      ...(content === undefined ? { expiresAt } : {}),
    });
  const outcome = await write(version, statement.content);
  const snapshotVersion = await readSnapshotVersion(deps, event.source);
  return version < snapshotVersion ? write(snapshotVersion, undefined) : outcome;
}

/** Whether the object is a workload object that needs an aggregation to be found by lists. */
function isToBeListed({ subject }: OwnedObject, head: Head): boolean {
  return subject.type === 'workload' && lacksEntry(head);
}

/**
 * Stores the input of an event. @returns the content version of which the subject has to be notified; undefined if it need not
 * be notified
 */
async function recordInput(
  deps: RecordDeps,
  event: ReceivedEvent,
  ownedObject: OwnedObject,
): Promise<string | undefined> {
  const { source, version } = event;
  if (ownedObject.input === undefined) return undefined;
  const key = { pk: subjectPartition(ownedObject.subject), sk: ownedObject.input };
  const index = async (): Promise<void> => {
    const item = { ...reportedKey(source, key), version: versionText(version) };
    await deps.store.put([{ item, condition: { type: 'newer' } }]);
  };
  if (ownedObject.first) await index();
  // If nothing is stored for the object, the event counts as the first: sweeps must find every input.
  const beforeFirst = ownedObject.first ? async (): Promise<void> => {} : index;
  const { content, found, first: isListed } = ownedObject;
  const outcome = await writeInput(deps, event, { key, content, found, isListed, beforeFirst });
  // Before its first event, an inventory did not find this subject to notify it.
  if (outcome.type === 'older')
    return ownedObject.first && ownedObject.isWalked === true ? versionText(version) : undefined;
  const { head } = await readHeadAndApplied(deps.store, key.pk);
  const { contentVersion } = outcome;
  const isNew = (head.consumed[key.sk] ?? '') < contentVersion;
  return isNew || isToBeListed(ownedObject, head) ? contentVersion : undefined;
}

/** An object that differs from what is wanted or applied. */
interface Drift {
  /** Who has to look first: the aggregator if it is not known yet what is wanted. */
  readonly by: 'writer' | 'aggregator';
  /** The revisions that were compared. If they have changed when the event is delivered again, the message has changed too. */
  readonly at: string;
}

/**
 * Stores a CombinedStatus of which nothing is known in this state, below its subject, as long as the first listing of the WDS has
 * not ended. So when the listing has ended, the writer knows every CombinedStatus that a workload object had before
 * (docs/adr/0016).
 */
async function noteStray(
  deps: RecordDeps,
  { source }: ReceivedEvent,
  { subject, object }: OwnedObject,
): Promise<void> {
  if (await hasEndedListing(deps.store, source)) return;
  await putStrays(deps.store, { pk: subjectPartition(subject) }, [object]);
}

/**
 * Compares the echo (docs/architecture.md, section 5, "The protocol", rule 4): the writer has to look if the API server does
 * not show what was last applied, or if what was applied is not what is wanted.
 */
async function findDrift(
  deps: RecordDeps,
  event: ReceivedEvent,
  ownedObject: OwnedObject,
): Promise<Drift | undefined> {
  const { head, applied } = await readHeadAndApplied(
    deps.store,
    subjectPartition(ownedObject.subject),
  );
  const recorded = applied.owned[ownedObject.ownedName];
  const observed = ownedObject.observed(recorded);
  const isOutput = ownedObject.input === undefined && observed !== ABSENT;
  if (isOutput && applied.revision === 0) await noteStray(deps, event, ownedObject);
  // Nothing was ever wanted and nothing written. The object is foreign, unless it is a stray CombinedStatus.
  if (head.hash === undefined) return isOutput ? { by: 'aggregator', at: '' } : undefined;
  const hasDrifted = applied.hash !== head.hash || (recorded?.observed ?? ABSENT) !== observed;
  return hasDrifted ? { by: 'writer', at: `${head.revision}.${applied.revision}` } : undefined;
}

/**
 * Records one event from an API server that Starfold writes to. Stores an input, and notifies its subject if the content is new
 * to it. Compares the echo of what Starfold owns with what was applied, and sends a hint if they differ.
 */
export async function recordOwnedObject(
  deps: RecordDeps,
  event: ReceivedEvent,
  { ownedObject, followUps }: { readonly ownedObject: OwnedObject; readonly followUps: FollowUps },
): Promise<void> {
  const cause = `${event.source.name}@${versionText(event.version)}`;
  const contentVersion = await recordInput(deps, event, ownedObject);
  const change = earliestChange([event]);
  if (contentVersion !== undefined)
    followUps.add(ownedObject.subject, { cause: `${cause} ${contentVersion}`, ...change });
  const drift = await findDrift(deps, event, ownedObject);
  if (drift === undefined) return;
  const { subject } = ownedObject;
  const objects = ownedObject.input === undefined ? [ownedObject.object] : [];
  if (drift.by === 'writer')
    followUps.drift(subject, { objects, cause: `echo ${cause} ${drift.at}`, ...change });
  else followUps.strays(subject, { objects, cause: `stray ${cause}`, ...change });
}

import type { JsonValue } from '#shared/core/json.ts';
import { type Subject, sourcePartition, subjectPartition } from '#shared/core/subject.ts';
import { earliestChange } from '#shared/messages/dirty.ts';
import type { ItemKey } from '#shared/ports/item-store.ts';
import { type OwnedHashes, readHeadAndApplied } from '#shared/state/head.ts';
import { reportedKey, SORT, versionText } from '#shared/state/keys.ts';
import { type ObservedOutcome, writeObserved } from '#shared/state/observed.ts';
import { ABSENT } from '#shared/state/owned-hashes.ts';
import { tombstoneExpiry } from '#shared/state/rows.ts';
import type { FollowUps, ReceivedEvent, RecordDeps } from './follow-ups.ts';

/** What an event from an API server that Starfold writes to concerns: whose input it is, and which written object it echoes. */
export interface OwnedObject {
  readonly subject: Subject;
  /** Sort key of the observed item below the subject; absent: the object is output alone. */
  readonly input?: string;
  /** The content to keep of an input; `undefined`: the object is gone. */
  readonly content: JsonValue | undefined;
  /** As of the event. */
  readonly first: boolean;
  /** Whether the subject is found by what its source has said: an inventory tells those that are found so. */
  readonly isWalked?: true;
  /** Name under which the hashes of the object are recorded. */
  readonly ownedName: string;
  /** Its hash as the event shows it, where this one is known; `ABSENT`: the object is gone. */
  readonly observed: (known: OwnedHashes | undefined) => string;
  /** Names an object that is output alone. */
  readonly object: { readonly namespace: string; readonly name: string };
}

/**
 * Stores what an event says of an input; what is older than the last complete listing of the source says that it is
 * gone. (The floor is read after the input was written, as for rows.)
 */
async function writeInput(
  deps: RecordDeps,
  event: ReceivedEvent,
  statement: {
    readonly key: ItemKey;
    readonly content: JsonValue | undefined;
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
      beforeFirst: statement.beforeFirst,
      ...(content === undefined ? { expiresAt } : {}),
    });
  const outcome = await write(version, statement.content);
  const [snapshot] = await deps.store.get([
    { pk: sourcePartition(event.source), sk: SORT.snapshot },
  ]);
  const floor = snapshot?.version ?? '';
  return version < floor ? write(floor, undefined) : outcome;
}

/** Stores the input that an event brings; the content version that an aggregation has to look at, if it has to. */
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
  // An object of which nothing stands is a first one, whatever its event says: every input is found by sweeps.
  const beforeFirst = ownedObject.first ? async (): Promise<void> => {} : index;
  const outcome = await writeInput(deps, event, { key, content: ownedObject.content, beforeFirst });
  // Until its first event came, whoever told the subjects that are found so did not find this one.
  if (outcome.type === 'older')
    return ownedObject.first && ownedObject.isWalked === true ? versionText(version) : undefined;
  const { head } = await readHeadAndApplied(deps.store, key.pk);
  const { contentVersion } = outcome;
  return (head.consumed[key.sk] ?? '') < contentVersion ? contentVersion : undefined;
}

/**
 * Something that does not stand as it should, and who has to look first: the aggregator where it is not known what
 * should stand. `at`: the revisions that were compared; when the event is told again and they are others, so is the
 * message.
 */
interface Drift {
  readonly by: 'writer' | 'aggregator';
  readonly at: string;
}

/**
 * The echo (design, section 5, "The protocol", rule 4): what the API server shows is not what was last applied, or what was
 * applied is not what is wanted, so the writer has to look.
 */
async function findDrift(deps: RecordDeps, ownedObject: OwnedObject): Promise<Drift | undefined> {
  const { head, applied } = await readHeadAndApplied(
    deps.store,
    subjectPartition(ownedObject.subject),
  );
  const known = applied.owned[ownedObject.ownedName];
  const observed = ownedObject.observed(known);
  // Nothing was ever wanted and nothing written: a foreign object, unless it is a stray CombinedStatus.
  if (head.hash === undefined)
    return ownedObject.input === undefined && observed !== ABSENT
      ? { by: 'aggregator', at: '' }
      : undefined;
  const isAmiss = applied.hash !== head.hash || (known?.observed ?? ABSENT) !== observed;
  return isAmiss ? { by: 'writer', at: `${head.revision}.${applied.revision}` } : undefined;
}

/**
 * Records one event from an API server that Starfold writes to: an input is stored and its subject told if its content is
 * new to it; an echo of what Starfold owns is compared with what was applied, and a hint sent when they differ.
 */
export async function recordOwnedObject(
  deps: RecordDeps,
  event: ReceivedEvent,
  { ownedObject, followUps }: { readonly ownedObject: OwnedObject; readonly followUps: FollowUps },
): Promise<void> {
  const cause = `${event.source.name}@${versionText(event.version)}`;
  const told = await recordInput(deps, event, ownedObject);
  const change = earliestChange([event]);
  if (told !== undefined)
    followUps.add(ownedObject.subject, { cause: `${cause} ${told}`, ...change });
  const drift = await findDrift(deps, ownedObject);
  if (drift === undefined) return;
  const { subject } = ownedObject;
  const objects = ownedObject.input === undefined ? [ownedObject.object] : [];
  if (drift.by === 'writer')
    followUps.drift(subject, { objects, cause: `echo ${cause} ${drift.at}`, ...change });
  else followUps.strays(subject, { objects, cause: `stray ${cause}`, ...change });
}

import type { JsonValue } from '#shared/core/json.ts';
import { type Subject, sourcePartition, subjectPartition } from '#shared/core/subject.ts';
import { earliestChange } from '#shared/messages/dirty.ts';
import type { ItemKey } from '#shared/ports/item-store.ts';
import { ABSENT } from '#shared/state/facets.ts';
import { type Facet, readHeadAndApplied } from '#shared/state/head.ts';
import { SORT, seenKey, versionText } from '#shared/state/keys.ts';
import { type ObservedOutcome, writeObserved } from '#shared/state/observed.ts';
import { tombstoneExpiry } from '#shared/state/rows.ts';
import type { Consequences, ReceivedEvent, RecordDeps } from './consequences.ts';

/** What an event from an API server that Starfold writes to concerns: whose input it is, and which written object it echoes. */
export interface Concern {
  readonly subject: Subject;
  /** Sort key of the observed item below the subject; absent: the object is output alone. */
  readonly input?: string;
  /** The content to keep of an input; `undefined`: the object is gone. */
  readonly content: JsonValue | undefined;
  /** As of the event. */
  readonly first: boolean;
  /** Whether the subject is found by what its source has said: an inventory tells those that are found so. */
  readonly isWalked?: true;
  /** Name of the facet that the object shows. */
  readonly facet: string;
  /** The facet that it shows, where this one is known; `ABSENT`: the object is gone. */
  readonly seen: (known: Facet | undefined) => string;
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
  concern: Concern,
): Promise<string | undefined> {
  const { source, version } = event;
  if (concern.input === undefined) return undefined;
  const key = { pk: subjectPartition(concern.subject), sk: concern.input };
  const index = async (): Promise<void> => {
    const item = { ...seenKey(source, key), version: versionText(version) };
    await deps.store.put([{ item, condition: { type: 'newer' } }]);
  };
  if (concern.first) await index();
  // An object of which nothing stands is a first one, whatever its event says: every input is found by sweeps.
  const beforeFirst = concern.first ? async (): Promise<void> => {} : index;
  const outcome = await writeInput(deps, event, { key, content: concern.content, beforeFirst });
  // Until its first event came, whoever told the subjects that are found so did not find this one.
  if (outcome.type === 'older')
    return concern.first && concern.isWalked === true ? versionText(version) : undefined;
  const { head } = await readHeadAndApplied(deps.store, key.pk);
  const { contentVersion } = outcome;
  return (head.seen[key.sk] ?? '') < contentVersion ? contentVersion : undefined;
}

/**
 * Something that does not stand as it should, and who has to look first: the aggregator where it is not known what
 * should stand. `at`: the revisions that were compared; when the event is told again and they are others, so is the
 * message.
 */
interface Amiss {
  readonly by: 'writer' | 'aggregator';
  readonly at: string;
}

/**
 * The echo (design, section 5, "The protocol", rule 4): what the API server shows is not what was last applied, or what was
 * applied is not what is wanted, so the writer has to look.
 */
async function whatIsAmiss(deps: RecordDeps, concern: Concern): Promise<Amiss | undefined> {
  const { head, applied } = await readHeadAndApplied(deps.store, subjectPartition(concern.subject));
  const known = applied.facets[concern.facet];
  const seen = concern.seen(known);
  // Nothing was ever wanted and nothing written: a foreign object, unless it is a stray CombinedStatus.
  if (head.hash === undefined)
    return concern.input === undefined && seen !== ABSENT
      ? { by: 'aggregator', at: '' }
      : undefined;
  const isAmiss = applied.hash !== head.hash || (known?.seen ?? ABSENT) !== seen;
  return isAmiss ? { by: 'writer', at: `${head.revision}.${applied.revision}` } : undefined;
}

/**
 * Records one event from an API server that Starfold writes to: an input is stored and its subject told if its content is
 * new to it; an echo of what Starfold owns is compared with what was applied, and a hint sent when they differ.
 */
export async function recordConcern(
  deps: RecordDeps,
  event: ReceivedEvent,
  { concern, consequences }: { readonly concern: Concern; readonly consequences: Consequences },
): Promise<void> {
  const cause = `${event.source.name}@${versionText(event.version)}`;
  const told = await recordInput(deps, event, concern);
  const change = earliestChange([event]);
  if (told !== undefined)
    consequences.add(concern.subject, { cause: `${cause} ${told}`, ...change });
  const amiss = await whatIsAmiss(deps, concern);
  if (amiss === undefined) return;
  const { subject } = concern;
  const objects = concern.input === undefined ? [concern.object] : [];
  if (amiss.by === 'writer')
    consequences.amiss(subject, { objects, cause: `echo ${cause} ${amiss.at}`, ...change });
  else consequences.strays(subject, { objects, cause: `stray ${cause}`, ...change });
}

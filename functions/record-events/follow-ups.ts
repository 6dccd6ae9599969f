import type { ForwarderEvent } from '#shared/core/event.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import {
  type ChangeTime,
  earliestChange,
  encodeDirty,
  encodeHint,
  type HintMessage,
} from '#shared/messages/dirty.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageSender, OutgoingMessage } from '#shared/ports/message-queue.ts';
import type { SpecStore } from '#shared/state/specs.ts';

/** What recording needs of the world. */
export interface RecordDeps {
  readonly store: ItemStore;
  readonly specs: SpecStore;
  readonly dirty: MessageSender;
  readonly hints: MessageSender;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** So many objects of a WEC are kept rows of; default: `OBJECTS_PER_WEC`. */
  readonly objectsPerWec?: number;
}

/** An event, and when the queue took it. */
export type ReceivedEvent = ForwarderEvent & ChangeTime;

/** Why a subject is told. */
interface Cause extends ChangeTime {
  /** A text that is the same when the same cause is told again. */
  readonly cause: string;
  /** The WEC whose row changed, if a row did. */
  readonly wec?: string;
  /** The row that changed below an object of Fleet, if one did. */
  readonly row?: string;
}

interface Told {
  readonly subject: Subject;
  readonly causes: Cause[];
}

/** What the writer, or first the aggregator, has to look at, and why. */
interface Look extends ChangeTime {
  readonly objects: HintMessage['objects'];
  /** As in {@link Cause}. */
  readonly cause: string;
}

interface Looked {
  readonly subject: Subject;
  readonly looks: Look[];
}

function look(looked: Map<string, Looked>, subject: Subject, one: Look): void {
  const key = subjectPartition(subject);
  const entry = looked.get(key) ?? { subject, looks: [] };
  entry.looks.push(one);
  looked.set(key, entry);
}

/** Everything to look at, each object once, and the cause of all. */
function together({ looks }: Looked): Look {
  const objects = new Map(
    looks.flatMap((one) => one.objects).map((object) => [JSON.stringify(object), object]),
  );
  const cause = looks.map((one) => one.cause).sort();
  return { objects: [...objects.values()], cause: cause.join(' '), ...earliestChange(looks) };
}

/** So many rows stand in a message at most: each is named with some hundred bytes, and a message takes 1 MiB. */
const MAX_ROWS = 1_000;

/** The rows that changed, in lots that a message can hold; one that is empty where none did. */
function lotsOfRows(rows: readonly string[]): readonly (readonly string[])[] {
  const lots = Math.max(Math.ceil(rows.length / MAX_ROWS), 1);
  return Array.from({ length: lots }, (_lot, index) =>
    rows.slice(index * MAX_ROWS, (index + 1) * MAX_ROWS),
  );
}

/** Work that follows from recorded events, gathered so that a subject is told once for each invocation. */
export class FollowUps {
  readonly #told = new Map<string, Told>();
  readonly #drift = new Map<string, Looked>();
  readonly #strays = new Map<string, Looked>();
  /** How much of all this follows from each source. */
  readonly #bySource = new Map<string, number>();

  /** The results of a subject may be out of date. */
  add(subject: Subject, cause: Cause): void {
    const key = subjectPartition(subject);
    const entry = this.#told.get(key) ?? { subject, causes: [] };
    entry.causes.push(cause);
    this.#told.set(key, entry);
    const { changedBy } = cause;
    if (changedBy !== undefined)
      this.#bySource.set(changedBy, (this.#bySource.get(changedBy) ?? 0) + 1);
  }

  /** What the WDS shows is not what the writer has left there. */
  drift(subject: Subject, one: Look): void {
    look(this.#drift, subject, one);
  }

  /** CombinedStatuses that say they are the subject's, of which nothing is known yet. */
  strays(subject: Subject, one: Look): void {
    look(this.#strays, subject, one);
  }

  /** How many causes share the message of another one. */
  get shared(): number {
    let causes = 0;
    for (const told of this.#told.values()) causes += told.causes.length;
    return causes - this.#told.size;
  }

  /** The messages for the writer, one for each subject. */
  hints(): OutgoingMessage[] {
    return [...this.#drift.values()].map((looked) => {
      const { objects, cause, ...change } = together(looked);
      return encodeHint({ subject: looked.subject, objects, ...change }, cause);
    });
  }

  /**
   * The messages for the aggregator, one for each subject that is out of date (several where too many rows have changed),
   * and one for each that has strays.
   */
  dirty(): OutgoingMessage[] {
    const strays = [...this.#strays.values()].map((looked) => {
      const { objects, cause, ...change } = together(looked);
      const { subject } = looked;
      return encodeDirty({ type: 'subject', subject, strays: objects, ...change }, cause);
    });
    return [...this.#outOfDate(), ...strays];
  }

  #outOfDate(): OutgoingMessage[] {
    return [...this.#told.values()].flatMap(({ subject, causes }) => {
      const wecs = [...new Set(causes.flatMap(({ wec }) => wec ?? []))].sort();
      const lots = lotsOfRows([...new Set(causes.flatMap(({ row }) => row ?? []))].sort());
      const texts = causes.map(({ cause }) => cause).sort();
      return lots.map((rows, lot) =>
        encodeDirty(
          {
            type: 'subject',
            subject,
            ...(wecs.length > 0 ? { wecs } : {}),
            ...(rows.length > 0 ? { rows } : {}),
            ...earliestChange(causes, this.#bySource),
          },
          // The same causes stand behind all lots, and each is a message of its own.
          [...texts, ...(lot > 0 ? [`lot ${lot}`] : [])].join(' '),
        ),
      );
    });
  }
}

import type { ForwarderEvent } from '#shared/core/event.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import { type ChangeTime, earliestChange } from '#shared/messages/change-time.ts';
import { encodeDirty, encodeHint, type HintMessage } from '#shared/messages/dirty.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageSender, OutgoingMessage } from '#shared/ports/message-queue.ts';
import type { SpecStore } from '#shared/state/specs.ts';

/** The dependencies of recording. */
export interface RecordDeps {
  readonly store: ItemStore;
  readonly specs: SpecStore;
  readonly dirty: MessageSender;
  readonly hints: MessageSender;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** The number of objects of a WEC that have rows. Default: `OBJECTS_PER_WEC`. */
  readonly objectsPerWec?: number;
}

/** An event, and when the queue accepted it. */
export type ReceivedEvent = ForwarderEvent & ChangeTime;

/** Why a subject is notified. */
interface Cause extends ChangeTime {
  /** The same text for the same cause, however often it is delivered. */
  readonly cause: string;
  /** The WEC whose row changed, if a row did. */
  readonly wec?: string;
  /** The row that changed below an object of Fleet, if one did. */
  readonly row?: string;
}

interface Changed {
  readonly subject: Subject;
  readonly causes: Cause[];
}

/** What the writer (or the aggregator before it) has to compare, and why. */
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

/** All objects to compare, each once, with one cause. */
function together({ looks }: Looked): Look {
  const objects = new Map(
    looks.flatMap((one) => one.objects).map((object) => [JSON.stringify(object), object]),
  );
  const cause = looks.map((one) => one.cause).sort();
  return { objects: [...objects.values()], cause: cause.join(' '), ...earliestChange(looks) };
}

/** The maximum number of rows of one message: the name of a row takes some hundred bytes, and a message 1 MiB. */
const MAX_ROWS = 1_000;

/** Divides the rows that changed into lists that fit into a message. If no row changed, there is one empty list. */
function lotsOfRows(rows: readonly string[]): readonly (readonly string[])[] {
  const lots = Math.max(Math.ceil(rows.length / MAX_ROWS), 1);
  return Array.from({ length: lots }, (_lot, index) =>
    rows.slice(index * MAX_ROWS, (index + 1) * MAX_ROWS),
  );
}

/** Work that follows from recorded events, collected so that an invocation notifies each subject once. */
export class FollowUps {
  readonly #changed = new Map<string, Changed>();
  readonly #drift = new Map<string, Looked>();
  readonly #strays = new Map<string, Looked>();
  /** The number of causes from each source. */
  readonly #bySource = new Map<string, number>();

  /** Notes that the results of a subject may be out of date. */
  add(subject: Subject, cause: Cause): void {
    const key = subjectPartition(subject);
    const entry = this.#changed.get(key) ?? { subject, causes: [] };
    entry.causes.push(cause);
    this.#changed.set(key, entry);
    const { changedBy } = cause;
    if (changedBy !== undefined)
      this.#bySource.set(changedBy, (this.#bySource.get(changedBy) ?? 0) + 1);
  }

  /** Notes that the WDS does not show what the writer has applied. */
  drift(subject: Subject, one: Look): void {
    look(this.#drift, subject, one);
  }

  /** Notes CombinedStatuses whose labels name a subject that does not know them yet. */
  strays(subject: Subject, one: Look): void {
    look(this.#strays, subject, one);
  }

  /** The number of causes that share the message of another cause. */
  get shared(): number {
    let causes = 0;
    for (const changed of this.#changed.values()) causes += changed.causes.length;
    return causes - this.#changed.size;
  }

  /** The messages for the writer, one for each subject. */
  hints(): OutgoingMessage[] {
    return [...this.#drift.values()].map((looked) => {
      const { objects, cause, ...change } = together(looked);
      return encodeHint({ subject: looked.subject, objects, ...change }, cause);
    });
  }

  /**
   * The messages for the aggregator: one for each subject that is out of date (several if too many rows have changed), and one
   * for each subject with strays.
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
    return [...this.#changed.values()].flatMap(({ subject, causes }) => {
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
          // All lists have the same causes, and each list is a separate message.
          [...texts, ...(lot > 0 ? [`lot ${lot}`] : [])].join(' '),
        ),
      );
    });
  }
}

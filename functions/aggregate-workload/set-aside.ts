import { parseSubject, type Subject } from '#shared/core/subject.ts';
import { ContentionError, EndsProcessError } from '#shared/errors.ts';
import type { DirtyMessage } from '#shared/messages/dirty.ts';
import type { Delivery, Suspects } from '#shared/runtime/batch.ts';
import {
  nextTryMs,
  noteInputs,
  noteLargestRows,
  putSetAside,
  putTrying,
  readSetAside,
  readSetAsideOf,
  readTrying,
  removeSetAside,
  removeTrying,
  type SetAside,
  setAsideVersion,
  type TryingMark,
} from '#shared/state/set-aside.ts';
import { forgetStrays, putStrays, readNoted } from '#shared/state/strays.ts';
import { readAsideInputs } from './aside-inputs.ts';
import type { AggregateDeps } from './deps.ts';
import { measuringStore } from './expensive-inputs.ts';
import { tellSetAside, tellTriedWell } from './tell-set-aside.ts';

/** Handles the messages of one group. */
type Handle = (deps: AggregateDeps, messages: readonly DirtyMessage[]) => Promise<void>;

/**
 * The minimum interval between two reads of the set-aside subjects. A message that is received for the first time costs nothing
 * else.
 */
const LOOK_MS = 5_000;
/** If work without a subject has ended the process, it is retried after this time. */
const REST_MS = 3_600_000;

/** Returns `undefined` if the group is not a subject: pages of sources and of inventories have none. */
function subjectOf(group: string): Subject | undefined {
  try {
    return parseSubject(group);
  } catch {
    return undefined;
  }
}

function asideList(pk: string) {
  return { pk, list: 'set-aside' } as const;
}

function straysOf(messages: readonly DirtyMessage[]) {
  return messages.flatMap((message) => (message.type === 'subject' ? (message.strays ?? []) : []));
}

/** The suspects of one batch. */
class Trial implements Suspects<DirtyMessage> {
  readonly groups: readonly string[];
  readonly #deps: AggregateDeps;
  readonly #handle: Handle;
  #mark: TryingMark | undefined;

  constructor(deps: AggregateDeps, handle: Handle, groups: readonly string[]) {
    this.#deps = deps;
    this.#handle = handle;
    this.groups = groups;
  }

  readonly handle = async (group: string, messages: readonly DirtyMessage[]): Promise<void> => {
    const { store, clock } = this.#deps;
    const subject = subjectOf(group);
    // Only these messages name the strays. They are stored before the mark is read, so the later try finds them.
    if (subject !== undefined) await putStrays(store, asideList(group), straysOf(messages));
    // The mark is read before the entry, and they are removed in the reverse order. So if there is no mark but an entry, a
    // later try will read the changes that the messages report.
    const mark = await readTrying(store, group);
    const entry = await readSetAsideOf(store, group);
    if (mark !== undefined && subject !== undefined) return this.#setAside(subject, mark, entry);
    if (mark !== undefined && clock() < mark.sinceMs + REST_MS) throw new EndsProcessError(group);
    const inputs = await this.#presentInputs(subject, entry);
    // The try after the pause reads the changes that the messages report.
    if (entry !== undefined && (await this.#isPaused(entry, inputs))) return;
    await this.#try({ group, subject, mark, entry, inputs }, messages);
    if (entry === undefined || subject === undefined) return this.leave();
    await tellTriedWell(this.#deps, subject, entry);
    await removeSetAside(store, entry);
    await this.leave();
  };

  /** Removes the mark, so that no process concludes that the subject has ended the process. */
  readonly leave = async (): Promise<void> => {
    const mark = this.#mark;
    this.#mark = undefined;
    if (mark !== undefined) await removeTrying(this.#deps.store, mark);
  };

  /** The hash of the inputs of a subject that is set aside. They are not read for other subjects. */
  async #presentInputs(
    subject: Subject | undefined,
    entry: SetAside | undefined,
  ): Promise<string | undefined> {
    if (subject === undefined || entry === undefined) return undefined;
    return (await readAsideInputs(this.#deps, subject)).present;
  }

  /** If the inputs have changed, the pause becomes shorter, and `sweep-stale` sends the subject at its end. */
  async #isPaused(entry: SetAside, inputs: string | undefined): Promise<boolean> {
    const { store, clock } = this.#deps;
    const noted = await noteInputs(store, entry, inputs);
    if (noted === undefined) throw new ContentionError(entry.pk);
    return clock() < nextTryMs(noted);
  }

  async #try(
    known: {
      readonly group: string;
      readonly subject: Subject | undefined;
      readonly mark: TryingMark | undefined;
      readonly entry: SetAside | undefined;
      readonly inputs: string | undefined;
    },
    messages: readonly DirtyMessage[],
  ): Promise<void> {
    const { group: pk, subject, mark, entry, inputs } = known;
    const { store } = this.#deps;
    const nowMs = this.#deps.clock();
    const own = await putTrying(store, { pk, nowMs, inputs }, mark);
    this.#mark = own;
    if (own === undefined) throw new ContentionError(pk);
    // The process that finds the mark must not read the rows to find the largest: they may end it, too.
    const measuring = measuringStore(store, pk, (rows) => noteLargestRows(store, own, rows));
    const anew = entry === undefined ? {} : { anew: setAsideVersion(entry) };
    try {
      const strays = subject === undefined ? [] : await readNoted(store, 'set-aside', pk);
      const named = new Set(straysOf(messages).map((stray) => JSON.stringify(stray)));
      const left = strays.filter((stray) => !named.has(JSON.stringify(stray)));
      const noted: readonly DirtyMessage[] =
        subject === undefined || left.length === 0
          ? []
          : [{ type: 'subject', subject, strays: left }];
      await this.#handle({ ...this.#deps, store: measuring, isTrial: true, ...anew }, [
        ...messages,
        ...noted,
      ]);
      await forgetStrays(store, asideList(pk), strays);
    } catch (error) {
      await this.leave();
      throw error;
    }
  }

  /** The process that put the mark has ended because of the subject, or is so slow that its messages were received again. */
  async #setAside(subject: Subject, mark: TryingMark, before: SetAside | undefined): Promise<void> {
    const { store, clock } = this.#deps;
    // The content of a Binding or a StatusCollector is not read: reading it may be what ends the process.
    const inputs =
      subject.type === 'workload'
        ? await readAsideInputs(this.#deps, subject)
        : { bindings: [], ...(mark.inputs === undefined ? {} : { present: mark.inputs }) };
    const end = { pk: mark.pk, nowMs: clock(), tried: mark.inputs, ...inputs };
    const entry = await putSetAside(store, end, before);
    if (entry === undefined) throw new ContentionError(mark.pk);
    await tellSetAside(this.#deps, subject, { entry, largest: mark.largest ?? [] });
    await removeTrying(store, mark);
  }
}

/**
 * Returns a function that finds the subjects that are set aside. Create one for each process: a list that was read counts for
 * some seconds.
 *
 * @returns the groups of their messages in a batch
 */
export function createSetAsideGroups({
  store,
  clock,
}: Pick<AggregateDeps, 'store' | 'clock'>): () => Promise<ReadonlySet<string>> {
  let known: ReadonlySet<string> = new Set();
  let lookedMs = Number.NEGATIVE_INFINITY;
  return async () => {
    const nowMs = clock();
    if (nowMs - lookedMs >= LOOK_MS) {
      known = new Set((await readSetAside(store)).map(({ pk }) => pk));
      lookedMs = nowMs;
    }
    return known;
  };
}

/**
 * Keeps subjects that end the process from doing so repeatedly, and from affecting other subjects (docs/architecture.md,
 * section 5, "A subject that ends its process"). A group is suspect if it is set aside, or if a message of it has been received
 * before. Each suspect is tried separately. During the try there is a mark, which is removed when the try ends, with or without
 * an error. If a process finds a mark, the process that put it did not end the try: the subject is set aside, its messages
 * count as handled, and its users are notified. When its pause is over, `sweep-stale` sends the subject again, and all its
 * parts are folded again.
 *
 * @returns a function that finds the suspects of a batch; create one for each process
 */
export function createSuspects(
  deps: AggregateDeps,
  handle: Handle,
): (deliveries: readonly Delivery[]) => Promise<Suspects<DirtyMessage>> {
  const setAside = createSetAsideGroups(deps);
  return async (deliveries) => {
    const known = await setAside();
    const suspects = deliveries
      .filter(({ group, redelivered }) => redelivered || known.has(group))
      .map(({ group }) => group);
    return new Trial(deps, handle, suspects);
  };
}

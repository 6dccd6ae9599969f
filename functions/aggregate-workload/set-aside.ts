import { parseSubject, type Subject } from '#shared/core/subject.ts';
import { ContentionError, EndsProcessError } from '#shared/errors.ts';
import type { DirtyMessage } from '#shared/messages/dirty.ts';
import type { Delivery, Suspects } from '#shared/runtime/batch.ts';
import {
  nextTryMs,
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
import type { AggregateDeps } from './deps.ts';
import { bindingsToTell, tellSetAside, tellTriedWell } from './tell-set-aside.ts';

/** How messages of one group are handled. */
type Handle = (deps: AggregateDeps, messages: readonly DirtyMessage[]) => Promise<void>;

/** What is set aside is looked up so often at most: a message that comes for the first time pays for nothing else. */
const LOOK_MS = 5_000;
/** Work that is no subject's, and has ended the process, is tried again after that. */
const REST_MS = 3_600_000;

/** Pages of sources and of inventories are no subject's. */
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
    // Nothing but these messages says so. Noted before the mark is read: the try that comes later finds them.
    if (subject !== undefined) await putStrays(store, asideList(group), straysOf(messages));
    // In this order, and removed in the other one: who finds no mark and an entry knows that a later try will read
    // what it has been told of.
    const mark = await readTrying(store, group);
    const entry = await readSetAsideOf(store, group);
    if (mark !== undefined && subject !== undefined) return this.#setAside(subject, mark, entry);
    if (mark !== undefined && clock() < mark.sinceMs + REST_MS) throw new EndsProcessError(group);
    // What the messages tell of is read by the try that comes when the pause is over.
    if (entry !== undefined && clock() < nextTryMs(entry)) return;
    await this.#try({ group, subject, mark, entry }, messages);
    if (entry === undefined || subject === undefined) return this.leave();
    await tellTriedWell(this.#deps, subject, entry);
    await removeSetAside(store, entry);
    await this.leave();
  };

  /** The mark goes, so that nobody takes the subject for one that has ended the process. */
  readonly leave = async (): Promise<void> => {
    const mark = this.#mark;
    this.#mark = undefined;
    if (mark !== undefined) await removeTrying(this.#deps.store, mark);
  };

  async #try(
    known: {
      readonly group: string;
      readonly subject: Subject | undefined;
      readonly mark: TryingMark | undefined;
      readonly entry: SetAside | undefined;
    },
    messages: readonly DirtyMessage[],
  ): Promise<void> {
    const { group: pk, subject, mark, entry } = known;
    const { store } = this.#deps;
    const nowMs = this.#deps.clock();
    this.#mark = await putTrying(this.#deps.store, { pk, nowMs }, mark);
    if (this.#mark === undefined) throw new ContentionError(pk);
    const anew = entry === undefined ? {} : { anew: setAsideVersion(entry) };
    try {
      const strays = subject === undefined ? [] : await readNoted(store, 'set-aside', pk);
      const own = new Set(straysOf(messages).map((stray) => JSON.stringify(stray)));
      const left = strays.filter((stray) => !own.has(JSON.stringify(stray)));
      const noted: readonly DirtyMessage[] =
        subject === undefined || left.length === 0
          ? []
          : [{ type: 'subject', subject, strays: left }];
      await this.#handle({ ...this.#deps, ...anew }, [...messages, ...noted]);
      await forgetStrays(store, asideList(pk), strays);
    } catch (error) {
      await this.leave();
      throw error;
    }
  }

  /** Whoever put the mark has died of it, or is so slow that its messages have come again. */
  async #setAside(subject: Subject, mark: TryingMark, before: SetAside | undefined): Promise<void> {
    const { store, clock } = this.#deps;
    const bindings = await bindingsToTell(this.#deps, subject);
    const entry = await putSetAside(store, { pk: mark.pk, nowMs: clock(), bindings }, before);
    if (entry === undefined) throw new ContentionError(mark.pk);
    await tellSetAside(this.#deps, subject, entry);
    await removeTrying(store, mark);
  }
}

/**
 * Keeps subjects that end the process from doing so again and again, and from taking others with them
 * (docs/architecture.md, section 5, "A subject that ends its process"). Suspect is a group that is set aside, or of
 * which a message has been received before. Each is tried alone, below a mark that goes when the try has ended, well or
 * with an error. A mark that is found stands for a process that did not end so: the subject is set aside, its messages
 * count as handled, and its users are told; `sweep-stale` sends it again when its pause is over, and then everything of
 * it is folded anew.
 *
 * @returns finds the suspects of a batch; one for each process
 */
export function createSuspects(
  deps: AggregateDeps,
  handle: Handle,
): (deliveries: readonly Delivery[]) => Promise<Suspects<DirtyMessage>> {
  let known: ReadonlySet<string> = new Set();
  let lookedMs = Number.NEGATIVE_INFINITY;
  return async (deliveries) => {
    const nowMs = deps.clock();
    if (nowMs - lookedMs >= LOOK_MS) {
      known = new Set((await readSetAside(deps.store)).map(({ pk }) => pk));
      lookedMs = nowMs;
    }
    const suspects = deliveries
      .filter(({ group, redelivered }) => redelivered || known.has(group))
      .map(({ group }) => group);
    return new Trial(deps, handle, suspects);
  };
}

import { parseSubject, subjectPartition } from '#shared/core/subject.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import type { OutgoingMessage } from '#shared/ports/message-queue.ts';
import { readSilence } from '#shared/state/silence.ts';
import {
  type OverRow,
  readOverRows,
  readSilentAfterTimes,
  readTimedSubjects,
  removeOverRows,
} from '#shared/state/silent-after.ts';
import { bindingMessage } from './binding-messages.ts';
import { type Heard, type SettleSilenceDeps, settleSilence } from './settle-silence.ts';
import type { Entries } from './workloads-of.ts';

/** What the sweep knows about the WECs. */
export interface KnownWecs {
  /** Returns the WECs, and which of them have been silent for longer than a time. */
  readonly heard: (silenceMs: number) => readonly Heard[];
  /** Returns the workload objects for which WECs have rows. */
  readonly workloadsOf: (wecs: readonly { readonly name: string }[]) => Promise<Entries>;
}

/** The message that rows of a subject no longer count. */
function overMessage(partition: string, rows: readonly OverRow[]): OutgoingMessage {
  const subject = parseSubject(partition);
  const wecs = rows.map(({ wec }) => wec).sort();
  const causes = rows.map(({ wec, item }) => `${wec} until ${item.version}`).sort();
  return encodeDirty({ type: 'subject', subject, wecs }, causes.join(' '));
}

/** Notifies the subjects of rows that counted for a while and no longer do, then removes the notes. */
async function notifyOfSilence(deps: SettleSilenceDeps, silentAfterMs: number): Promise<void> {
  const { store, dirty, clock } = deps;
  const over = await readOverRows(store, { silentAfterMs, nowMs: clock() });
  if (over.length === 0) return;
  const bySubject = Map.groupBy(over, ({ partition }) => partition);
  await dirty.send([...bySubject].map(([partition, rows]) => overMessage(partition, rows)));
  await removeOverRows(store, over);
}

/**
 * Handles each time of `starfold.dev/silent-after` that is in use. Finds the WECs that have been silent for that time and those
 * that report again. Notifies the workload objects that have this time and for which these WECs have rows, and the Bindings
 * that have this time. Then notifies the subjects of rows that no longer count. The entries and rules are those of `SILENCE`,
 * with one set of entries for each time (docs/architecture.md, section 5, "7. Silence"). As long as nothing changes, there are
 * three queries for each time.
 *
 * @returns the keys of entries that cannot be read
 */
export async function settleSilentAfter(
  deps: SettleSilenceDeps,
  { heard, workloadsOf }: KnownWecs,
): Promise<readonly string[]> {
  const { store } = deps;
  const unreadable: string[] = [];
  for (const silentAfterMs of await readSilentAfterTimes(store)) {
    const place = { silentAfterMs };
    await settleSilence(deps, {
      place,
      heard: heard(silentAfterMs),
      stored: await readSilence(store, place),
      messages: async (held, cause) => {
        const timed = await readTimedSubjects(store, silentAfterMs);
        const found = await workloadsOf(held);
        unreadable.push(...found.unreadable);
        const workloads = [...found.subjects.values()]
          .filter((subject) => timed.has(subjectPartition(subject)))
          .map((subject) => encodeDirty({ type: 'subject', subject, silence: true }, cause));
        const wecs = held.map(({ name }) => name);
        const bindings = [...timed.values()]
          .filter(({ type }) => type === 'binding')
          .map((subject) => bindingMessage(subject, { wecs, cause }));
        return [...workloads, ...bindings];
      },
    });
    await notifyOfSilence(deps, silentAfterMs);
  }
  return unreadable;
}

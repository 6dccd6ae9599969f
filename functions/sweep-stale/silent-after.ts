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

/** What the sweep knows of the WECs. */
export interface KnownWecs {
  /** The WECs, and which of them have been silent for longer than so many milliseconds. */
  readonly heard: (silenceMs: number) => readonly Heard[];
  /** The workload objects on which WECs have rows. */
  readonly workloadsOf: (wecs: readonly { readonly name: string }[]) => Promise<Entries>;
}

/** The message that rows of a subject no longer count. */
function overMessage(partition: string, rows: readonly OverRow[]): OutgoingMessage {
  const subject = parseSubject(partition);
  const wecs = rows.map(({ wec }) => wec).sort();
  const causes = rows.map(({ wec, item }) => `${wec} until ${item.version}`).sort();
  return encodeDirty({ type: 'subject', subject, wecs }, causes.join(' '));
}

/** Notifies the subjects of rows that have counted for a while and do no more, then removes the notes. */
async function tellOver(deps: SettleSilenceDeps, silentAfterMs: number): Promise<void> {
  const { store, dirty, clock } = deps;
  const over = await readOverRows(store, { silentAfterMs, nowMs: clock() });
  if (over.length === 0) return;
  const bySubject = Map.groupBy(over, ({ partition }) => partition);
  await dirty.send([...bySubject].map(([partition, rows]) => overMessage(partition, rows)));
  await removeOverRows(store, over);
}

/**
 * For each time of `starfold.dev/silent-after` that is in use: finds the WECs that have been silent for so long, and those that
 * speak again, and notifies the workload objects that have this time and on which they have rows, and the Bindings that have
 * it; then those of which a row no longer counts. The entries are those of `SILENCE`, one set for each time, and so are the
 * rules (docs/architecture.md, section 5, "7. Silence"). While nothing changes it makes three queries for each time.
 *
 * @returns keys of entries that cannot be read
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
    await tellOver(deps, silentAfterMs);
  }
  return unreadable;
}

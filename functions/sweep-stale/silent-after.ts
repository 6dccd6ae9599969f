import { parseSubject, type Subject } from '#shared/core/subject.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import type { OutgoingMessage } from '#shared/ports/message-queue.ts';
import { readHeartbeats } from '#shared/state/heartbeats.ts';
import { readSilence } from '#shared/state/silence.ts';
import {
  type OverRow,
  readOverRows,
  readSilentAfterTimes,
  readTimedSubjects,
  removeOverRows,
} from '#shared/state/silent-after.ts';
import { bindingMessage } from './binding-messages.ts';
import { heardAt } from './heard-at.ts';
import { type Heard, type SettleSilenceDeps, settleSilence } from './settle-silence.ts';
import { KeptEntries } from './workloads-of.ts';

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

/** Notifies the subjects that have one time. */
async function settleTime(
  deps: SettleSilenceDeps,
  silentAfterMs: number,
  { heard, workloads }: { readonly heard: readonly Heard[]; readonly workloads: KeptEntries },
): Promise<void> {
  const { store } = deps;
  const scope = { silentAfterMs };
  await settleSilence(deps, {
    scope,
    heard,
    stored: await readSilence(store, scope),
    messages: async (held, cause) => {
      const timed = await readTimedSubjects(store, silentAfterMs);
      const isAny = (type: Subject['type']) => [...timed.values()].some((one) => one.type === type);
      const subjects = isAny('workload') ? await workloads.of(held) : [];
      const messages = [...subjects]
        .filter(([partition]) => timed.has(partition))
        .map(([, subject]) => encodeDirty({ type: 'subject', subject, silence: true }, cause));
      const wecs = held.map(({ name }) => name);
      const bindings = [...timed.values()]
        .filter(({ type }) => type === 'binding')
        .map((subject) => bindingMessage(subject, { wecs, cause }));
      return [...messages, ...bindings];
    },
  });
  await notifyOfSilence(deps, silentAfterMs);
}

/**
 * Handles each time of `starfold.dev/silent-after` that is in use. Finds the WECs that have been silent for that time and those
 * that report again. Notifies the workload objects that have this time and for which these WECs have rows, and the Bindings
 * that have this time. Then notifies the subjects of rows that no longer count. The entries and rules are those of `SILENCE`,
 * with one set of entries for each time (docs/architecture.md, section 5, "7. Silence"). As long as nothing changes, there are
 * three queries for each time. There are at most 53 times (`shared/core/binding/silent-after.ts`), and each WEC's entries are read once
 * for all of them ({@link KeptEntries}).
 *
 * Users choose the times of their objects, so this runs after everything else of a sweep.
 *
 * @returns the keys of entries that cannot be read
 */
export async function settleSilentAfter(deps: SettleSilenceDeps): Promise<readonly string[]> {
  const { store } = deps;
  const times = await readSilentAfterTimes(store);
  if (times.length === 0) return [];
  const nowMs = deps.clock();
  const heartbeats = await readHeartbeats(store);
  const workloads = new KeptEntries(store);
  for (const silentAfterMs of times) {
    const heard = heardAt(heartbeats, { nowMs, silenceMs: silentAfterMs });
    await settleTime(deps, silentAfterMs, { heard, workloads });
  }
  return [...workloads.unreadable];
}

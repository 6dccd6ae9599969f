import { openStateDatabase } from '#local/cli/state/state-file.ts';
import { InputError, UsageError } from '#local/cli/terminal/cli-error.ts';
import type { Question } from '#local/cli/terminal/question.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import { openQueues } from '#local/stack/queues.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import type { EventSource } from '#shared/core/event.ts';
import { plainText } from '#shared/core/plain-text.ts';
import { sourceText } from '#shared/core/source-text.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import { sourceGroup } from '#shared/messages/group-name.ts';
import { removeWec } from '#shared/outbox/remove-wec.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { heartbeatKey } from '#shared/state/heartbeats.ts';
import { RANGE, range } from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';
import { isEveryWec } from '#shared/state/senders.ts';
import { IN_STATE, NOTHING_REMOVED } from './messages.ts';
import { sourceLine } from './register-source.ts';

/** The options of `starfold unregister --state`. */
export interface UnregisterStateOptions {
  /** The path of the state file. */
  readonly state: string;
  readonly yes?: boolean;
}

/** The dependencies of `starfold unregister --state`. */
export interface UnregisterStateWorld {
  readonly terminal: Terminal;
  readonly question: Question;
}

/** The content of an open state file. */
interface State {
  readonly store: ItemStore;
  readonly queues: ReturnType<typeof openQueues>;
}

/** The queues with messages of sources. */
function queuesOf({ queues }: State) {
  return [queues.events, queues['events-dlq']];
}

/** Whether a source has sent a heartbeat, or whether something of it is stored or waits to be recorded. */
async function isKnown(state: State, source: EventSource): Promise<boolean> {
  const { store } = state;
  const [heartbeat] = await store.get([heartbeatKey(source)]);
  if (heartbeat !== undefined) return true;
  for (const queue of queuesOf(state)) if (await queue.holdsGroup(sourceGroup(source))) return true;
  const reported = range(sourcePartition(source), RANGE.reported);
  for await (const items of pages(store, { ...reported, limit: 1 }))
    if (items.length > 0) return true;
  return false;
}

/** What waits in the queue of events has no registration that rejects it later, and must not return what is removed. */
async function discardEvents(state: State, source: EventSource): Promise<void> {
  for (const queue of queuesOf(state)) await queue.discardGroup(sourceGroup(source));
}

async function remove(state: State, source: EventSource, nowMs: number): Promise<void> {
  const { store, queues } = state;
  if (source.type !== 'wec') {
    await store.delete([{ key: heartbeatKey(source) }]);
    return;
  }
  await discardEvents(state, source);
  await removeWec({ store, dirty: queues.dirty }, source.name, nowMs);
}

async function removeIfAgreed(
  source: EventSource,
  { state: file, yes }: UnregisterStateOptions,
  { state, world }: { readonly state: State; readonly world: UnregisterStateWorld },
): Promise<void> {
  const { terminal, question } = world;
  const name = plainText(sourceText(source));
  if (!(await isKnown(state, source))) throw new InputError(IN_STATE.unknown(name, file));
  const isAgreed = yes === true || (await question.ask(IN_STATE.question(source, name)));
  if (!isAgreed) return terminal.notice(NOTHING_REMOVED);
  await remove(state, source, terminal.clock());
  terminal.out(sourceLine(source, IN_STATE.removed(source)));
}

/**
 * Permanently removes a source from a state file of `starfold start`, which may run meanwhile: it is no longer silent, and what a
 * WEC has reported is deleted. There are no registrations in this file.
 *
 * @throws InputError, UsageError; what the store and the queues throw
 */
export async function runUnregisterState(
  source: EventSource,
  options: UnregisterStateOptions,
  world: UnregisterStateWorld,
): Promise<void> {
  if (isEveryWec(source)) throw new UsageError(IN_STATE.everyWecStays);
  if (options.yes !== true && !world.question.isPossible) throw new UsageError(IN_STATE.noTerminal);
  const database = openStateDatabase(options.state);
  try {
    const state = { store: createSqliteItemStore(database), queues: openQueues(database) };
    await removeIfAgreed(source, options, { state, world });
  } finally {
    database.close();
  }
}

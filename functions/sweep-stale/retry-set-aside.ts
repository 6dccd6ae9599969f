import { parseSubject } from '#shared/core/subject.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import { nextTryMs, readSetAside, setAsideVersion } from '#shared/state/set-aside.ts';

/**
 * The maximum number of subjects that one run sends. Each may hold an invocation until its end, so they must not hold all of
 * them: on AWS, five a minute hold about five of 50 (docs/adr/0023-one-trial-at-a-time.md).
 */
const MAX_RETRIES = 5;
const MINUTE_MS = 60_000;

/**
 * Selects the subjects that are retried in this minute. Each of them has its turn, also if others are due for ever.
 *
 * @param due in an order that stays the same
 */
function ofThisMinute<Entry>(due: readonly Entry[], nowMs: number): readonly Entry[] {
  const turns = Math.ceil(due.length / MAX_RETRIES);
  if (turns <= 1) return due;
  const turn = Math.floor(nowMs / MINUTE_MS) % turns;
  return due.slice(turn * MAX_RETRIES, (turn + 1) * MAX_RETRIES);
}

/**
 * Sends a message to aggregate subjects that are set aside and whose pause has ended, at most {@link MAX_RETRIES} in a minute
 * (docs/architecture.md, section 5, "A subject that ends its process"). Any number may run at the same time, and may die at any
 * point: a subject that was aggregated successfully is no longer set aside.
 *
 * @returns the number of subjects that are set aside
 */
export async function retrySetAside(deps: {
  readonly store: ItemStore;
  readonly dirty: MessageSender;
  readonly clock: () => number;
}): Promise<number> {
  const entries = await readSetAside(deps.store);
  const nowMs = deps.clock();
  const due = entries.filter((entry) => nextTryMs(entry) <= nowMs);
  const messages = ofThisMinute(due, nowMs).map((entry) =>
    encodeDirty(
      { type: 'subject', subject: parseSubject(entry.pk) },
      `set aside ${setAsideVersion(entry)}`,
    ),
  );
  if (messages.length > 0) await deps.dirty.send(messages);
  return entries.length;
}

import { boundedText } from '#shared/core/error-list.ts';
import type { ArgoCdVerdict } from '#shared/core/health/verdict.ts';
import { NO_VERDICT } from '#shared/core/health/verdict.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';
import { encodeNotification } from '#shared/messages/notification.ts';
import type { Head } from '#shared/state/head.ts';
import type { AggregateDeps } from './deps.ts';

/** The maximum length of the message of a verdict in a head, in UTF-16 code units. A head is written with each event. */
const MAX_MESSAGE = 200;

/**
 * The verdict before the first one that a head has: the one that the WDS showed before this state knew the object; otherwise none,
 * if there was no head. Undefined if it is not known: the head is of an older release, or was put before all sources had reported
 * everything. An object without a verdict is nothing new, because a state does not know whether it had one.
 */
function beforeFirst(head: Head, found: string | undefined, status: string): string | undefined {
  if (status === NO_VERDICT) return undefined;
  return found ?? (head.revision === 0 ? NO_VERDICT : undefined);
}

/**
 * The fields of the next head about the verdict. As long as sources have not reported everything, the verdict is not known.
 *
 * @param head the head that was read
 */
export function verdictFields(
  { notifications }: AggregateDeps,
  head: Head,
  {
    verdict,
    found,
    awaits: { awaited = 0 },
  }: {
    readonly verdict: ArgoCdVerdict | undefined;
    readonly found: string | undefined;
    readonly awaits: Pick<Head, 'awaited'>;
  },
): Pick<Head, 'verdict' | 'verdictBefore'> {
  if (awaited > 0) return {};
  const status = verdict?.status ?? NO_VERDICT;
  const message = boundedText(verdict?.message ?? '', MAX_MESSAGE);
  const before = head.verdict?.status ?? beforeFirst(head, found, status);
  const isChanged = notifications !== undefined && before !== undefined && before !== status;
  return {
    verdict: { status, ...(message === '' ? {} : { message }) },
    ...(isChanged ? { verdictBefore: before } : {}),
  };
}

/**
 * Sends the message that the verdict of a head differs from the one before. This is called after the head is put, and once more
 * before the next head replaces it, because the process may have crashed in between. So the head itself is the note of the outbox
 * (`deliver`), and costs no further write: the next head notes that the message was sent.
 */
export async function notifyOfVerdict(
  { notifications }: AggregateDeps,
  workload: WorkloadRef,
  { revision, verdictBefore }: Head,
): Promise<void> {
  if (notifications === undefined || verdictBefore === undefined) return;
  const topic = { type: 'verdict', workload } as const;
  const message = { type: 'change', topic, before: verdictBefore } as const;
  await notifications.send([encodeNotification(message, `revision ${revision}`)]);
}

import { ACCEPTED, isSameState, refusalState } from '#shared/core/notification/topic.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';
import { encodeNotification } from '#shared/messages/notification.ts';
import type { Applied } from '#shared/state/head.ts';
import { readNotified } from '#shared/state/notified.ts';
import type { WriteDeps } from './deps.ts';

/**
 * Sends a message if receivers were notified of other rejections of a workload object than those that are recorded now. Objects of
 * which nothing was ever rejected cost nothing. A hint is only acknowledged after this, so no rejection is missed.
 */
export async function notifyOfRefusals(
  { store, notifications }: WriteDeps,
  workload: WorkloadRef,
  { revision, reported, errorBindings }: Applied,
): Promise<void> {
  if (notifications === undefined || (reported.length === 0 && errorBindings.length === 0)) return;
  const topic = { type: 'refusals', workload } as const;
  const { state, unsent } = (await readNotified(store, topic)) ?? {
    state: ACCEPTED,
    unsent: undefined,
  };
  if (unsent === undefined && isSameState(state, refusalState(reported))) return;
  const message = { type: 'change', topic, before: ACCEPTED.status } as const;
  await notifications.send([encodeNotification(message, `revision ${revision}`)]);
}

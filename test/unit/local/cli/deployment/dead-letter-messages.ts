import { notRegistered } from '#functions/record-events/messages.ts';
import type { EventSource, ForwarderEvent } from '#shared/core/event.ts';
import type { Subject } from '#shared/core/subject.ts';
import { encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import { type DeadLetter, encodeDeadLetter } from '#shared/messages/dead-letter.ts';
import { encodeDirty, encodeHint } from '#shared/messages/dirty.ts';
import type { OutgoingMessage } from '#shared/ports/message-queue.ts';

export const FORWARDER = 'AROAFORWARDER:session';

export const WEB: Subject = {
  type: 'workload',
  workload: { wds: 'wds1', group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' },
};

const CLUSTER1: EventSource = { type: 'wec', name: 'cluster1' };

function event(sequence: number, content: ForwarderEvent['content']): string {
  const time = '2026-11-21T11:00:00Z';
  return encodeEvent({ source: CLUSTER1, version: { epoch: 1, sequence }, time, content });
}

/** A message of the forwarder of cluster1: a deleted object, the end of a listing, a heartbeat. */
export function eventsBody(): string {
  const { wds, ...subject } = WEB.type === 'workload' ? WEB.workload : { wds: '' };
  // It is a workload.
  const content = { type: 'wec-object', wds, subject, first: false } as ForwarderEvent['content'];
  return encodeBatch([
    event(1, content),
    event(2, { type: 'snapshot', since: { epoch: 1, sequence: 0 } }),
    event(3, { type: 'heartbeat' }),
  ]);
}

export function letterBody(letter: Partial<DeadLetter>): string {
  const whole: DeadLetter = {
    code: 'forged-sender',
    reasons: [notRegistered('AROAFORWARDER', 'wec/cluster1')],
    senderId: FORWARDER,
    body: eventsBody(),
    ...letter,
  };
  return encodeDeadLetter(whole) ?? '';
}

/** Work of a subject; another cause is another message of the same group. */
export function dirty(cause: string): OutgoingMessage {
  return encodeDirty({ type: 'subject', subject: WEB }, cause);
}

export function hint(cause: string): OutgoingMessage {
  return encodeHint({ subject: WEB, objects: [] }, cause);
}

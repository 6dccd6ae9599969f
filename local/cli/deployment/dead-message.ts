import type { ForwarderEvent } from '#shared/core/event.ts';
import { FLEET_GROUP } from '#shared/core/fleet-object.ts';
import { topicSource, topicSubject } from '#shared/core/notification/topic.ts';
import { sourceText } from '#shared/core/source-text.ts';
import type { Subject } from '#shared/core/subject.ts';
import { workloadTitle } from '#shared/core/workload.ts';
import { NewerMessageError } from '#shared/errors.ts';
import { decodeBatch } from '#shared/events/codec.ts';
import {
  type DeadLetter,
  type DeadLetterCode,
  parseDeadLetter,
} from '#shared/messages/dead-letter.ts';
import { type DirtyMessage, parseDirty, parseHint } from '#shared/messages/dirty.ts';
import { type NotificationMessage, parseNotification } from '#shared/messages/notification.ts';
import {
  type RedrivableQueue,
  type Redrive,
  type Redriver,
  redriveOf,
} from '#shared/messages/redrive.ts';
import { parseRedriven } from '#shared/messages/redriven.ts';
import type { ReceivedMessage } from '#shared/ports/message-queue.ts';
import { principalOf } from '#shared/state/senders.ts';
import {
  changeOf,
  END_OF_LISTING,
  eventFor,
  eventsOf,
  FOREIGN_LETTER,
  HEARTBEAT,
  LABELS,
  LETTER_REMEDIES,
  NEWER_MESSAGE,
  noMessageOf,
  ofCluster,
  orDiscard,
  REASONS,
  REGISTER,
  registerCommand,
  topicTitle,
  unreadableEvents,
  WORK,
  withMore,
  writingOf,
} from './letter-messages.ts';
import { shellWord } from './lines.ts';

/**
 * Why a message is in a dead-letter queue.
 * - `failed`: it is valid, and its handling failed until its queue gave up;
 * - `refused`: a receiver of events does not accept it;
 * - `newer`: a newer release sent it, and can read it;
 * - `unreadable`: it, or some of its events, cannot be read;
 * - `forged-sender`: its sender is not registered for the source that it reports;
 * - `over-quota`: it reports new objects of a WEC that already has the maximum;
 * - `foreign`: it claims to be a dead letter, but record-events has not written it.
 */
export type DeadKind = 'failed' | 'refused' | 'newer' | DeadLetterCode | 'foreign';

/** A message of a dead-letter queue, for users. */
export interface DeadMessage {
  readonly queue: RedrivableQueue;
  readonly messageId: string;
  /** Milliseconds since the epoch. */
  readonly sentAt: number;
  readonly kind: DeadKind;
  /** What it is about: only the names of sources and subjects, nothing of their content. */
  readonly about: string;
  readonly reasons: readonly string[];
  /** For events: the original sender, as SQS recorded it. */
  readonly sender?: string;
  readonly remedy: string;
  /** What `starfold redrive` does with it. */
  readonly redrive: Redrive;
}

type Finding = Pick<DeadMessage, 'kind' | 'about' | 'reasons' | 'sender' | 'remedy'>;

const MAX_NAMED = 3;
const LOGGED_BY: Readonly<Record<RedrivableQueue, string>> = {
  events: 'record-events',
  dirty: 'aggregate-workload',
  hints: 'write-results',
  notifications: 'send-notifications',
};

/** The first few of some texts, each once. */
function some(texts: readonly string[]): string {
  const distinct = [...new Set(texts)];
  const more = distinct.length - MAX_NAMED;
  const names = distinct.slice(0, MAX_NAMED).join(', ');
  return more > 0 ? withMore(names, more) : names;
}

function subjectTitle(subject: Subject): string {
  switch (subject.type) {
    case 'workload':
      return ofCluster(workloadTitle(subject.workload), subject.workload.wds);
    case 'binding':
      return ofCluster(`Binding ${subject.name}`, subject.wds);
    case 'collector':
      return ofCluster(`StatusCollector ${subject.name}`, subject.wds);
    case 'fleet':
      return ofCluster(workloadTitle({ ...subject, group: FLEET_GROUP }), subject.upstream);
  }
}

function dirtyTitle(message: DirtyMessage): string {
  switch (message.type) {
    case 'subject':
      return WORK.aggregation(subjectTitle(message.subject));
    case 'members':
      return WORK.members(message.binding, message.wds);
    case 'sweep':
      return WORK.sweep(sourceText(message.source));
    case 'fleet-inventory':
      return WORK.inventory(message.namespace, message.upstream);
  }
}

function contentTitle({ content }: ForwarderEvent): string {
  switch (content.type) {
    case 'wec-object':
    case 'wds-object':
    case 'fleet-object':
      return workloadTitle(content.subject);
    case 'snapshot':
    case 'hub-snapshot':
      return END_OF_LISTING;
    case 'inventory':
      return LABELS;
    case 'heartbeat':
      return HEARTBEAT;
  }
}

/** What a message of a forwarder is about. */
function eventsTitle(body: string): string {
  const { events, errors } = decodeBatch(body);
  if (events.length === 0) return unreadableEvents(errors.length);
  const sources = some(events.map(({ source }) => sourceText(source)));
  return eventsOf(events.length, sources, some(events.map(contentTitle)));
}

function explainFailed(queue: RedrivableQueue, about: string): Finding {
  return {
    kind: 'failed',
    about,
    reasons: [REASONS.failed(LOGGED_BY[queue])],
    remedy: LETTER_REMEDIES.failed,
  };
}

/** @param error why it cannot be read, if that is known */
function explainUnreadable(queue: RedrivableQueue, error?: unknown): Finding {
  if (error instanceof NewerMessageError)
    return {
      kind: 'newer',
      about: NEWER_MESSAGE,
      reasons: [error.message],
      remedy: LETTER_REMEDIES.newer,
    };
  return {
    kind: 'unreadable',
    about: noMessageOf(queue),
    reasons: [REASONS.unreadable],
    remedy: LETTER_REMEDIES.noMessage,
  };
}

/** The command that registers a sender for the source of its message. */
function registration({ body, senderId }: DeadLetter): string {
  const sources = new Set(decodeBatch(body).events.map(({ source }) => sourceText(source)));
  const [source, ...others] = sources;
  if (source === undefined || others.length > 0) return REGISTER;
  const who = shellWord(principalOf(senderId), 'ID');
  return registerCommand(shellWord(source, 'SOURCE'), who);
}

const REMEDIES: Readonly<Record<DeadLetterCode, (letter: DeadLetter) => string>> = {
  'forged-sender': (letter) => LETTER_REMEDIES.forgedSender(registration(letter)),
  unreadable: () => LETTER_REMEDIES.unreadable,
  'over-quota': () => LETTER_REMEDIES.overQuota,
};

function explainLetter(message: ReceivedMessage, redriver: Redriver): Finding | undefined {
  const { body, senderId, messageId } = message;
  const letter = parseDeadLetter(body);
  if (letter === undefined) return undefined;
  if (principalOf(senderId) !== redriver.recorder)
    return {
      kind: 'foreign',
      about: FOREIGN_LETTER,
      reasons: [REASONS.foreign],
      sender: senderId,
      remedy: orDiscard(LETTER_REMEDIES.foreign, messageId),
    };
  const { code, reasons, senderId: sender } = letter;
  const about = eventsTitle(letter.body);
  const remedy = orDiscard(REMEDIES[code](letter), messageId);
  return { kind: code, about, reasons, sender, remedy };
}

function explainEvents(message: ReceivedMessage, redriver: Redriver): Finding {
  const letter = explainLetter(message, redriver);
  if (letter !== undefined) return letter;
  const redriven = parseRedriven(message.body);
  const { body, senderId } = redriven ?? message;
  const { events, errors } = decodeBatch(body);
  if (events.length === 0 && errors.length > 0)
    return { ...explainUnreadable('events'), sender: senderId };
  return { ...explainFailed('events', eventsTitle(body)), sender: senderId };
}

/** A change of which nobody could be notified, or an event that a receiver does not accept. */
function explainNotification({ body }: ReceivedMessage): Finding {
  let message: NotificationMessage;
  try {
    message = parseNotification(body);
  } catch (error) {
    return explainUnreadable('notifications', error);
  }
  const { type, topic } = message;
  const about = topicTitle(topic.type, topicSource(topic).slice(1), topicSubject(topic));
  if (type === 'change') return explainFailed('notifications', changeOf(about));
  const failed = explainFailed('notifications', eventFor(message.receiver, about));
  if (message.refused === undefined) return failed;
  return { ...failed, kind: 'refused', reasons: [message.refused] };
}

function explainWork(queue: 'dirty' | 'hints', { body }: ReceivedMessage): Finding {
  try {
    const about =
      queue === 'dirty'
        ? dirtyTitle(parseDirty(body))
        : writingOf(subjectTitle(parseHint(body).subject));
    return explainFailed(queue, about);
  } catch (error) {
    return explainUnreadable(queue, error);
  }
}

function explain(queue: RedrivableQueue, message: ReceivedMessage, redriver: Redriver): Finding {
  switch (queue) {
    case 'events':
      return explainEvents(message, redriver);
    case 'dirty':
    case 'hints':
      return explainWork(queue, message);
    case 'notifications':
      return explainNotification(message);
  }
}

/**
 * Explains a message in a dead-letter queue: what it is, why it is there, and the remedy.
 *
 * @param redriver the operator, with the principal of record-events if it is known; without this principal, no letter
 *   is trusted
 */
export function explainMessage(
  queue: RedrivableQueue,
  message: ReceivedMessage,
  redriver: Redriver,
): DeadMessage {
  const finding = explain(queue, message, redriver);
  const redrive = redriveOf(queue, message, redriver);
  const { messageId, sentAt } = message;
  return { queue, messageId, sentAt, ...finding, redrive };
}

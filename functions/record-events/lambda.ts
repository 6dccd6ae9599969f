import type { SQSRecord } from 'aws-lambda';
import type { ForwarderEvent } from '#shared/core/event.ts';
import { CONTROL_GROUP } from '#shared/core/kubestellar.ts';
import { sourceText } from '#shared/core/source-text.ts';
import { MessageTooLargeError } from '#shared/errors.ts';
import { encodeDeadLetter } from '#shared/messages/dead-letter.ts';
import type { MessageQueue, OutgoingMessage } from '#shared/ports/message-queue.ts';
import type { Telemetry } from '#shared/ports/telemetry.ts';
import {
  type Observability,
  reportFailure,
  type SqsHandler,
  withMiddleware,
} from '#shared/runtime/batch.ts';
import { DeadlineError, isDoneInTime } from '#shared/runtime/deadline.ts';
import { assess, rightsAskedBy } from './assess.ts';
import type { ReceivedEvent, RecordDeps } from './follow-ups.ts';
import { type Message, type Refusal, refusalsOf } from './letters.ts';
import { BatchOutcome, type Isolation, isolateFailures } from './partial-failure.ts';
import { portionsOf, type Received } from './portions.ts';
import type { SenderCheck } from './sender-check.ts';
import { recordEvents } from './use-case.ts';

/** The dependencies of the function: those of recording, the check of senders, and the queue for rejected messages. */
export interface RecordEventsDeps extends RecordDeps {
  readonly senders: SenderCheck;
  readonly deadLetters: MessageQueue;
  readonly telemetry: Telemetry;
  /**
   * Called with the message group of each message that was read, and its cost in bytes: its body and the memory of its events.
   * Absent on AWS, where SQS measures how long consumers take for a group.
   */
  readonly onCost?: (group: string, bytes: number) => void;
}

interface Letter {
  readonly refusal: Refusal;
  readonly outgoing: OutgoingMessage;
}

type Failure = Omit<Isolation<Message>, 'run'>;

const MAX_NAMED = 20;
/** Less than the function's timeout. The work that an outage leaves undone fails together and is delivered again soon. */
const LATE_MS = 20_000;

function unassessed({ record, opened }: Received): Message {
  return { record, first: opened.first, events: [], unreadable: 0 };
}

/** Assesses messages. One whose senders cannot be checked fails. */
async function assessAll(
  { senders }: RecordEventsDeps,
  portion: readonly Received[],
  { onFailure }: Failure,
): Promise<readonly Message[]> {
  const rights = await senders.rights(portion.map(({ opened }) => rightsAskedBy(opened)));
  const asking = { rights, called: senders.called };
  return portion.flatMap((received) => {
    const { record, opened } = received;
    try {
      return [{ record, first: opened.first, ...assess(opened, asking) }];
    } catch (error) {
      onFailure(unassessed(received), error);
      return [];
    }
  });
}

/** A message without the events that were not recorded because their sources have reached their quota. */
function beyondQuota(message: Message, refused: ReadonlySet<ReceivedEvent>): Message {
  return {
    ...message,
    events: message.events.filter((event) => !refused.has(event)),
    overQuota: message.events.filter((event) => refused.has(event)),
  };
}

/**
 * What the work that follows from an event waits for: the turn of its source, and in a WDS the part of that turn for the Binding or
 * StatusCollector (`ChangeTime.changedBy`). A BindingPolicy has the part of the Binding of its name.
 */
function changedBy({ source, content }: ForwarderEvent): string {
  const text = sourceText(source);
  if (content.type !== 'wds-object' || content.subject.group !== CONTROL_GROUP) return text;
  const { resource, name } = content.subject;
  if (resource === 'combinedstatuses') return text;
  return resource === 'statuscollectors' ? `${text}~${resource}/${name}` : `${text}~${name}`;
}

/** The events of a message, with the time at which the queue accepted it. */
function receivedEvents({ record, events }: Message): readonly ReceivedEvent[] {
  const changedMs = Number(record.attributes.SentTimestamp);
  return events.map((event) => ({ ...event, changedMs, changedBy: changedBy(event) }));
}

/** Records the events of messages. @returns the messages that did not fail */
async function recordAll(
  deps: RecordEventsDeps,
  assessed: readonly Message[],
  failure: Failure,
): Promise<readonly Message[]> {
  const { telemetry } = deps;
  const messages = assessed.map((message) => ({ ...message, events: receivedEvents(message) }));
  const overQuota = new Set<ReceivedEvent>();
  const failed = await isolateFailures(messages, {
    ...failure,
    run: async (some) => {
      const events = some.flatMap((message) => message.events);
      const { coalesced, overQuota: refused } = await recordEvents(deps, events);
      for (const event of refused) overQuota.add(event);
      const recorded = events.length - refused.size;
      if (recorded > 0) telemetry.count('EventsRecorded', recorded);
      if (coalesced > 0) telemetry.count('EventsCoalesced', coalesced);
    },
  });
  return messages
    .filter((message) => !failed.has(message))
    .map((message) => beyondQuota(message, overQuota));
}

function logRejected({ telemetry }: RecordEventsDeps, refusal: Refusal): void {
  const { letter, messages, events } = refusal;
  const { code, reasons, senderId } = letter;
  const [{ record }, ...others] = messages;
  if (events > 0) telemetry.count('RefusedEvents', events);
  if (code === 'forged-sender') telemetry.count('ForgedSenders');
  const several = others.length > 0 ? { messages: messages.length } : {};
  const { messageId } = record;
  telemetry.warn('message rejected', { messageId, code, reasons, senderId, ...several });
}

/**
 * Sends the letters of the messages that have one. If a letter is too large for a message, the received message fails, and SQS
 * moves it to the dead-letter queue as it is.
 */
async function sendLetters(
  deps: RecordEventsDeps,
  messages: readonly Message[],
  { onFailure, isLate }: Failure,
): Promise<void> {
  const letters: Letter[] = [];
  const failAll = ({ messages: those }: Refusal, error: unknown): void => {
    for (const message of those) onFailure(message, error);
  };
  for (const refusal of refusalsOf(deps, messages)) {
    const body = encodeDeadLetter(refusal.letter);
    const [{ record }] = refusal.messages;
    logRejected(deps, refusal);
    if (body === undefined)
      failAll(refusal, new MessageTooLargeError(undefined, Buffer.byteLength(record.body)));
    else {
      const { MessageGroupId: group } = record.attributes;
      letters.push({ refusal, outgoing: { body, ...(group === undefined ? {} : { group }) } });
    }
  }
  await isolateFailures(letters, {
    isLate,
    run: (some) => deps.deadLetters.send(some.map(({ outgoing }) => outgoing)),
    onFailure: ({ refusal }, error) => failAll(refusal, error),
  });
}

/** What an invocation has recorded. It is one line of the log, however many portions there are. */
class Recorded {
  #messages = 0;
  #events = 0;
  readonly #sources = new Set<string>();

  add(messages: readonly Message[]): void {
    this.#messages += messages.length;
    for (const { events } of messages) {
      this.#events += events.length;
      for (const { source } of events) this.#sources.add(sourceText(source));
    }
  }

  log({ telemetry }: RecordEventsDeps): void {
    if (this.#events === 0) return;
    const sources = [...this.#sources].sort();
    telemetry.info('events recorded', {
      messages: this.#messages,
      events: this.#events,
      sources: sources.slice(0, MAX_NAMED),
      sourceCount: sources.length,
    });
  }
}

async function recordPortions(
  deps: RecordEventsDeps,
  records: readonly SQSRecord[],
  { outcome, recorded }: { outcome: BatchOutcome; recorded: Recorded },
): Promise<void> {
  const startedMs = deps.clock();
  const isLate = (): boolean => deps.clock() - startedMs > LATE_MS;
  const failure: Failure = {
    isLate,
    onFailure: ({ record }, error) => outcome.fail(record.messageId, error),
  };
  const onLeft = (record: SQSRecord, error: unknown): void => outcome.fail(record.messageId, error);
  const onCost = ({ attributes }: SQSRecord, bytes: number): void =>
    deps.onCost?.(attributes.MessageGroupId ?? '', bytes);
  for (const portion of portionsOf(records, { clock: deps.clock, isLate, onLeft, onCost })) {
    const messages = await recordAll(deps, await assessAll(deps, portion, failure), failure);
    recorded.add(messages);
    await sendLetters(deps, messages, failure);
    for (const { record } of portion) outcome.done(record.messageId);
  }
}

/**
 * The function behind the queue of events. It records events that can be read and whose sender may report for their source. A
 * message with other events goes to the dead-letter queue as a letter with the reasons; messages of a source that has reached
 * its quota share a letter. Letters are sent after recording, so a message that fails and is delivered again does not leave a
 * letter each time. No message blocks another one, and a message that was handled holds no memory. Messages that are open when
 * the function has to answer fail.
 */
export function createRecordEvents(
  deps: RecordEventsDeps,
  observability: Observability,
): SqsHandler {
  return withMiddleware(async ({ Records }, context) => {
    const outcome = new BatchOutcome(Records.map(({ messageId }) => messageId));
    const recorded = new Recorded();
    const work = recordPortions(deps, Records, { outcome, recorded });
    if (!(await isDoneInTime(work, context))) outcome.failOpen(new DeadlineError());
    recorded.log(deps);
    for (const [error, messageIds] of outcome.failures)
      reportFailure(observability, error, { group: '', messageIds });
    const failed = [...outcome.failures.values()].flat();
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  }, observability);
}

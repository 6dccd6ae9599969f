import type { SQSRecord } from 'aws-lambda';
import { DeadlineError } from '#shared/runtime/deadline.ts';
import { type Opened, openMessage } from './assess.ts';

interface Spent {
  spent: number;
}

interface Group extends Spent {
  readonly records: SQSRecord[];
}

interface Sender extends Spent {
  readonly groups: Map<string, Group>;
}

/** The entry on which the least was spent; of several, the first. */
function cheapest<One extends Spent>(ones: ReadonlyMap<string, One>): [string, One] | undefined {
  let found: [string, One] | undefined;
  for (const entry of ones)
    if (found === undefined || entry[1].spent < found[1].spent) found = entry;
  return found;
}

function sendersOf(records: readonly SQSRecord[]): Map<string, Sender> {
  const senders = new Map<string, Sender>();
  for (const record of records) {
    const { SenderId, MessageGroupId = '' } = record.attributes;
    const sender = senders.get(SenderId) ?? { spent: 0, groups: new Map<string, Group>() };
    senders.set(SenderId, sender);
    const group = sender.groups.get(MessageGroupId) ?? { spent: 0, records: [] };
    sender.groups.set(MessageGroupId, group);
    group.records.push(record);
  }
  return senders;
}

/**
 * Messages in turns. The next message belongs to the sender on whom the least was spent so far, and to the sender's group on
 * which the least was spent. The sender decides first, because the queue records the sender, but the sender chooses the group.
 *
 * The caller gives the cost of a message by `next(cost)` when it takes the next one.
 */
export function* inTurns(records: readonly SQSRecord[]): Generator<SQSRecord, void, number> {
  const senders = sendersOf(records);
  for (let next = cheapest(senders); next !== undefined; next = cheapest(senders)) {
    const [senderId, sender] = next;
    const [groupId, group] = cheapest(sender.groups) ?? [];
    const record = group?.records.shift();
    if (group === undefined || groupId === undefined || record === undefined) return;
    const cost = yield record;
    sender.spent += cost;
    group.spent += cost;
    if (group.records.length === 0) sender.groups.delete(groupId);
    if (sender.groups.size === 0) senders.delete(senderId);
  }
}

/**
 * The memory, in bytes, that the events of a portion may take before the portion is handled. One more body may come on top
 * (`BODY_LIMITS`). An invocation gets at most 6 MB of messages (AWS Lambda, "Quotas"); as plain JSON, all of them fit.
 */
const PORTION_HEAP_BYTES = 32 * 1024 * 1024;

/**
 * What an event adds to the cost of its message, in bytes: its items are read and written, however small it is. It is less than what
 * that takes, so that a WEC with hundreds of changes a second has its share.
 */
const EVENT_COST_BYTES = 8 * 1024;

/** A message that was read. */
export interface Received {
  readonly record: SQSRecord;
  readonly opened: Opened;
}

/** When to stop, and what is told about messages. */
export interface PortionRules {
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly isLate: () => boolean;
  /** Called for a message that was not handled and has to be delivered again. */
  readonly onLeft: (record: SQSRecord, error: unknown) => void;
  /**
   * Called for each message that was read, with its cost in bytes: its body, the memory of its events, and a part for each event.
   * Compression and values make it a thousand times larger than the body.
   */
  readonly onCost: (record: SQSRecord, bytes: number) => void;
}

/**
 * Reads messages in portions. A portion is read when the portion before it is handled, because a compressed message may be a
 * thousand times larger than its body. When it is late, the rest is left. Senders take turns by the cost of their messages, so
 * the rest belongs to the senders that had the most.
 */
export function* portionsOf(
  records: readonly SQSRecord[],
  { clock, isLate, onLeft, onCost }: PortionRules,
): Generator<readonly Received[]> {
  let portion: Received[] = [];
  let heapBytes = 0;
  /** One error for all messages that are left: a failure is logged once for each error. */
  let late: DeadlineError | undefined;
  const turns = inTurns(records);
  let isFirst = true;
  let cost = 0;
  for (let turn = turns.next(cost); !turn.done; turn = turns.next(cost)) {
    const record = turn.value;
    const { body, attributes } = record;
    cost = body.length;
    if (!isFirst && portion.length === 0 && isLate()) {
      late ??= new DeadlineError();
      onLeft(record, late);
      continue;
    }
    isFirst = false;
    try {
      const opened = openMessage({ senderId: attributes.SenderId, body }, clock());
      portion.push({ record, opened });
      heapBytes += opened.decoded.heapBytes;
      cost += opened.decoded.heapBytes + EVENT_COST_BYTES * opened.decoded.events.length;
    } catch (error) {
      // Whatever a message contains, the others are read.
      onLeft(record, error);
    }
    onCost(record, cost);
    if (heapBytes < PORTION_HEAP_BYTES) continue;
    yield portion;
    portion = [];
    heapBytes = 0;
  }
  if (portion.length > 0) yield portion;
}

import type { SQSRecord } from 'aws-lambda';

/** What has been spent on something, and what is left of it. */
interface Spent {
  spent: number;
}

interface Group extends Spent {
  readonly records: SQSRecord[];
}

interface Sender extends Spent {
  readonly groups: Map<string, Group>;
}

/** The one on which the least has been spent; of several the one that came first. */
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
 * Messages in turns: next comes one of the sender on whom the least has been spent so far, and of his groups the one on which
 * the least has been. The sender counts first, since the queue vouches for him; the group is what he says.
 *
 * Whoever takes a message says what it costs, by `next(cost)`, before he takes another.
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

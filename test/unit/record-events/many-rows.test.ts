import { describe, expect, it } from 'vitest';
import { FollowUps } from '#functions/record-events/follow-ups.ts';
import { parseDirty } from '#shared/messages/dirty.ts';
import { MAX_MESSAGE_BYTES } from '#shared/ports/message-queue.ts';
import { rowNameText } from '#shared/state/fleet/fleet-rows.ts';
import { fleetObject } from '#test/unit/protocol/fleet-events.ts';

const BUNDLE = fleetObject('bundles', 'web');
const NAMESPACE = 'n'.repeat(63);

function rowName(index: number): string {
  const name = `${'c'.repeat(245)}${String(index).padStart(8, '0')}`;
  return rowNameText({ family: 'CLUSTER', id: `${NAMESPACE}/${name}` });
}

/** What is told of a Bundle of which so many rows have changed, each for a cause of its own. */
function told(rows: number, cause = (index: number): string => `cause ${index}`) {
  const followUps = new FollowUps();
  for (let index = 0; index < rows; index += 1)
    followUps.add(BUNDLE, { cause: cause(index), row: rowName(index), changedMs: index + 7 });
  return followUps.dirty();
}

function rowsIn(body: string): readonly string[] {
  const message = parseDirty(body);
  return message.type === 'subject' ? (message.rows ?? []) : [];
}

describe('rows of one object that have changed in one invocation', () => {
  it('are reported in one message up to a thousand', () => {
    expect(told(1_000).map(({ body }) => rowsIn(body).length)).toEqual([1_000]);
  });

  it('are reported in several messages if there are more, each row in one of them', () => {
    const messages = told(10_001);
    expect(messages).toHaveLength(11);
    const rows = messages.flatMap(({ body }) => rowsIn(body));
    expect(rows).toEqual(Array.from({ length: 10_001 }, (_row, index) => rowName(index)));
    for (const { body } of messages) {
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_MESSAGE_BYTES);
      expect(parseDirty(body)).toMatchObject({ subject: BUNDLE, changedMs: 7 });
    }
  });

  it('are reported in messages of one group, none of which is a duplicate of another', () => {
    // One event may have changed them all.
    for (const messages of [told(2_500), told(2_500, () => 'one cause')]) {
      expect(new Set(messages.map(({ group }) => group)).size).toBe(1);
      expect(new Set(messages.map(({ deduplicationId }) => deduplicationId)).size).toBe(3);
    }
  });

  it('are reported in the same messages when they are repeated', () => {
    expect(told(2_500)).toEqual(told(2_500));
  });
});

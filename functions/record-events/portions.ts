import type { SQSRecord } from 'aws-lambda';
import { DeadlineError } from '#shared/runtime/deadline.ts';
import { type Opened, openMessage } from './assess.ts';
import { inTurns } from './turns.ts';

/**
 * So much memory the events of a portion may take, about, before it is dealt with; one more body may come on top (see
 * `BODY_LIMITS`). Messages come to a function in 6 MB together (AWS Lambda, "Quotas"), and as plain JSON they all fit.
 */
const PORTION_HEAP_BYTES = 32 * 1024 * 1024;

/** A message that has been read. */
export interface Received {
  readonly record: SQSRecord;
  readonly opened: Opened;
}

/** When messages are read or left, and whom to tell. */
export interface Leaving {
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly isLate: () => boolean;
  /** Told of a message that has not been dealt with, and shall come again. */
  readonly onLeft: (record: SQSRecord, error: unknown) => void;
}

/**
 * Reads messages in portions, each when the one before it is done with: compressed messages can be a thousand times larger
 * than they are on their way. When it takes too long, the rest is left. Senders take
 * turns by the memory that their events take, so what is left is of those that have had the most.
 */
export function* portionsOf(
  records: readonly SQSRecord[],
  { clock, isLate, onLeft }: Leaving,
): Generator<readonly Received[]> {
  let portion: Received[] = [];
  let heapBytes = 0;
  /** One for all that is left: a failure is told once for each error. */
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
      cost += opened.decoded.heapBytes;
    } catch (error) {
      // Whatever is in a message, the others are read.
      onLeft(record, error);
    }
    if (heapBytes < PORTION_HEAP_BYTES) continue;
    yield portion;
    portion = [];
    heapBytes = 0;
  }
  if (portion.length > 0) yield portion;
}

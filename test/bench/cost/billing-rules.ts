/** Bytes that one DynamoDB read unit covers, strongly consistent. */
const READ_UNIT_BYTES = 4 * 1024;
/** Bytes that one DynamoDB write unit covers. */
const WRITE_UNIT_BYTES = 1024;
/** Bytes of payload that count as one SQS request. */
const QUEUE_CHUNK_BYTES = 64 * 1024;
/** SQS takes so many entries, and so many bytes, in one batch call. */
const QUEUE_BATCH_ENTRIES = 10;
const QUEUE_BATCH_BYTES = 1024 * 1024;

function unitsOf(bytes: number, unitBytes: number): number {
  return Math.max(1, Math.ceil(bytes / unitBytes));
}

/**
 * Read units of one item of GetItem or BatchGetItem, strongly consistent: each item is rounded up by itself, and one that
 * does not exist costs a unit (DynamoDB Developer Guide, "Capacity unit consumption for read operations").
 *
 * @param bytes size of the item; 0 where there is none
 */
export function getUnits(bytes: number): number {
  return unitsOf(bytes, READ_UNIT_BYTES);
}

/** Read units of one page of a Query: the items count as one (same place). */
export function queryUnits(itemBytes: readonly number[]): number {
  return unitsOf(
    itemBytes.reduce((sum, bytes) => sum + bytes, 0),
    READ_UNIT_BYTES,
  );
}

/**
 * Write units of a put or a delete: by the larger of the item before and the item after, also when a condition fails
 * (same guide, "Capacity unit consumption for write operations").
 *
 * @param before size of the stored item; 0 where there is none
 * @param after size of the item put; 0 for a delete
 */
export function writeUnits(before: number, after: number): number {
  return unitsOf(Math.max(before, after), WRITE_UNIT_BYTES);
}

/** SQS requests of one call that carries so many bytes of bodies; also an empty one counts (SQS pricing). */
export function queueRequests(bytes: number): number {
  return unitsOf(bytes, QUEUE_CHUNK_BYTES);
}

/**
 * How messages are sent: in batch calls of at most ten entries and 1 MiB (SQS Developer Guide, "Amazon SQS batch
 * actions").
 *
 * @param sizes bytes of the bodies
 * @returns bytes of each call
 */
export function batchCalls(sizes: readonly number[]): readonly number[] {
  const calls: number[] = [];
  let entries = 0;
  let bytes = 0;
  for (const size of sizes) {
    if (entries === QUEUE_BATCH_ENTRIES || (entries > 0 && bytes + size > QUEUE_BATCH_BYTES)) {
      calls.push(bytes);
      entries = 0;
      bytes = 0;
    }
    entries += 1;
    bytes += size;
  }
  if (entries > 0) calls.push(bytes);
  return calls;
}

/**
 * The sizes of results, in bytes of the JSON text (UTF-8) that would be written. They are counted before a text is
 * made, so that a result that is too large is an error of its column or of the object, and never an exception.
 */

/** One cell of a CombinedStatus, and the key of one group. */
export const MAX_CELL_BYTES = 256 * 1024;

/**
 * A CombinedStatus, and the rows of one collector in it. An API server accepts 1.5 MiB (etcd's default limit of a
 * request), and a message of SQS 1 MiB. The object comes back as an echo, with what the API server adds.
 */
export const MAX_COMBINED_STATUS_BYTES = 960 * 1024;

/**
 * The `.status` of a workload object. The reason is that of {@link MAX_COMBINED_STATUS_BYTES}, and the object also has
 * its spec.
 */
export const MAX_STATUS_BYTES = 960 * 1024;

/** Characters of the text of one error. */
export const MAX_ERROR_CHARACTERS = 500;

/** How many WECs keep the text of their error in a column. Of the others, only the number is reported. */
export const MAX_ERRORS_OF_COLUMN = 100;

/** Output columns of one collector. */
export const MAX_COLUMNS = 100;

/**
 * The steps that one collector may take over all destinations of a workload object: 10 seconds if a step takes 2
 * microseconds. This is enough for 1,000 destinations at the limit of a row, or for 500 steps for each of 10,000.
 */
export const MAX_COLLECTOR_STEPS = 5_000_000;

/**
 * The steps that the collectors of all Bindings of a workload object may take together for one WEC, shared by
 * `shareOf`. A shard has 128 WECs: 16 seconds if a step takes 2 microseconds, which is less than an aggregation may
 * last.
 */
export const MAX_OBJECT_STEPS = 64_000;

/**
 * How many Bindings count for one workload object. The oldest ones count. If each has one collector, each has 1,000
 * steps for a WEC (most expressions take fewer than 10) and 512 KiB of rows, regardless of what others do. KubeStellar
 * has no such limit.
 */
export const MAX_OBJECT_BINDINGS = 64;

/**
 * The memory that the compiled collectors of a workload object may take, shared among its Bindings by `CompiledShares`.
 * A function works on ten objects at a time, in 512 MB.
 */
export const MAX_OBJECT_COMPILED_BYTES = 32 * 1024 * 1024;

/** The memory that the rows of all collectors of a workload object may take together while they are folded. */
export const MAX_OBJECT_ROWS_BYTES = 32 * 1024 * 1024;

/**
 * What one aggregation of a workload object may spend on checking StatusCollectors whose check is not stored
 * (`checkCost`), shared among its Bindings by `CheckShares`: about three seconds. The share of one of 64 Bindings is
 * enough for a collector with patterns.
 */
export const MAX_OBJECT_CHECK_COST = 8_000_000;

/** The rows, or groups, of one answer to a StatusQuery that sets no limit, and the largest limit. */
export const DEFAULT_QUERY_LIMIT = 500;
export const MAX_QUERY_LIMIT = 10_000;

/**
 * The steps of one answer to a StatusQuery. Reading costs steps, too. So one answer pays for whatever one collector may take
 * over all destinations of an object, and for reading as much again.
 */
export const MAX_QUERY_STEPS = 2 * MAX_COLLECTOR_STEPS;

/**
 * What it costs to read a row for a StatusQuery, besides its bytes: 10,000 rows of 10 KiB take a third of
 * {@link MAX_QUERY_STEPS}. Reading and evaluating a row of a Deployment takes 30 to 80 microseconds (`npm run bench -- ask`).
 */
export const QUERY_ROW_STEPS = 250;
/** Bytes of a row that cost a step to read: as many as of the result of an expression (`bytesOfJson` in docs/cel.md). */
export const QUERY_BYTES_OF_STEP = 128;

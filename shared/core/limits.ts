/**
 * What a result may take, in bytes of the JSON text (UTF-8) that would be written. Counted before text is made, so that
 * what is too large is an error of its column or of the object, and never an exception.
 */

/** One cell of a CombinedStatus, and the key of one group. */
export const MAX_CELL_BYTES = 256 * 1024;

/**
 * A CombinedStatus, and in it the rows of one collector. An API server takes 1.5 MiB (etcd's default limit of a request),
 * a message of SQS 1 MiB: the object comes back as an echo, with what the API server adds.
 */
export const MAX_COMBINED_STATUS_BYTES = 960 * 1024;

/** The `.status` of a workload object; as {@link MAX_COMBINED_STATUS_BYTES}, and its spec stands beside it. */
export const MAX_STATUS_BYTES = 960 * 1024;

/** Characters of the text of one error. */
export const MAX_ERROR_CHARACTERS = 500;

/** So many WECs at most keep the text of their error in a column; of the others their number is told. */
export const MAX_ERRORS_OF_COLUMN = 100;

/** Output columns of one collector. */
export const MAX_COLUMNS = 100;

/**
 * The steps that one collector may take over all destinations of a workload object: 10 seconds where a step takes 2
 * microseconds. As many as 1,000 destinations at the limit of a row, or 500 steps for each of 10,000.
 */
export const MAX_COLLECTOR_STEPS = 5_000_000;

/**
 * The steps that the collectors of all Bindings of a workload object may take together for one WEC, shared as
 * `shareOf` says. A shard has 128 WECs: 16 seconds where a step takes 2 microseconds, less than an aggregation may last.
 */
export const MAX_OBJECT_STEPS = 64_000;

/**
 * So many Bindings count for one workload object, the oldest. With one collector each, all of them have 1,000 steps for a WEC
 * (most expressions take fewer than 10) and 512 KiB of rows, whatever others do. KubeStellar has no such limit.
 */
export const MAX_OBJECT_BINDINGS = 64;

/**
 * What the collectors of a workload object may take in memory, compiled, shared among its Bindings as `CompiledShares`
 * says. A function works on ten objects at a time, in 512 MB.
 */
export const MAX_OBJECT_COMPILED_BYTES = 32 * 1024 * 1024;

/** What the rows of all collectors of a workload object may take together, while they are folded. */
export const MAX_OBJECT_ROWS_BYTES = 32 * 1024 * 1024;

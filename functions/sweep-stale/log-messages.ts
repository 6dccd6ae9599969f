// What the log says of a sweep. The fields of a line name the WECs, Clusters, entries and queues.

/** WECs from which nothing has come for the time of silence. */
export const FELL_SILENT = 'WECs have fallen silent';

/** WECs that were silent. */
export const REPORT_AGAIN = 'WECs report again';

/** Labels of WECs that expressions may read. */
export const LABELS_CHANGED = 'labels of WECs have changed';

/** Stored entries that are left out. */
export const UNREADABLE = 'entries of WECs cannot be read';

/** Clusters of Fleet whose agent has not reported in time. */
export const AGENTS_SILENT = 'agents of Clusters have become silent';

/** Clusters of Fleet whose agent was silent. */
export const AGENTS_REPORT_AGAIN = 'agents of Clusters report again';

/** Messages that can be handled now. */
export const SENT_BACK = 'dead letters were sent back to their queue';

/** Messages that the sweep may not send back. */
export const LETTERS_STAY = 'dead letters wait for an operator';

/** A task that runs only once at a time. */
export const ALREADY_RUNNING = 'skipped: another invocation is still running';

/** The task is done, but the store has not taken its release. */
export const LEASE_STAYS = 'the lease could not be released; it expires on its own';

/** Marks the file as Starfold's in SQLite's header (`PRAGMA application_id`): "Star" in ASCII. */
export const APPLICATION_ID = 0x53746172;

/** Counts the shapes that the tables below have had; stored as `PRAGMA user_version`. */
export const SCHEMA_VERSION = 1;

/**
 * Tables of the item store and of all queues.
 *
 * `items` has a rowid although its key is text: without one, rows with large bodies are several times slower. Text is
 * compared by its UTF-8 bytes (SQLite's default collation), as the ports demand.
 *
 * `messages.hidden_until` is 0 while a message may be received; otherwise it is delayed (never received so far) or in
 * flight until then, in milliseconds since the epoch. `group_id` is empty in a standard queue. `ready_groups` has the
 * groups of FIFO queues that have messages and none of them hidden, with the first of them, so that a receive need not
 * step over the backlog of a locked group.
 */
export const SCHEMA = `
CREATE TABLE items (
  pk TEXT NOT NULL,
  sk TEXT NOT NULL,
  version TEXT,
  body ANY,
  expires_at ANY,
  PRIMARY KEY (pk, sk)
) STRICT;
CREATE INDEX items_by_expiry ON items (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE messages (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  queue TEXT NOT NULL,
  group_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  body TEXT NOT NULL,
  deduplication_id TEXT,
  sender_id TEXT NOT NULL,
  sent_at INTEGER NOT NULL,
  hidden_until INTEGER NOT NULL,
  receive_count INTEGER NOT NULL
) STRICT;
CREATE INDEX messages_by_group ON messages (queue, group_id, hidden_until, sequence);
CREATE INDEX messages_hidden ON messages (queue, hidden_until) WHERE hidden_until > 0;

CREATE TABLE ready_groups (
  queue TEXT NOT NULL,
  group_id TEXT NOT NULL,
  first_sequence INTEGER NOT NULL,
  PRIMARY KEY (queue, group_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX ready_groups_by_sequence ON ready_groups (queue, first_sequence);

CREATE TABLE deduplications (
  queue TEXT NOT NULL,
  group_id TEXT NOT NULL,
  deduplication_id TEXT NOT NULL,
  ends_at INTEGER NOT NULL,
  PRIMARY KEY (queue, group_id, deduplication_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX deduplications_by_end ON deduplications (queue, ends_at);

PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${SCHEMA_VERSION};
`;

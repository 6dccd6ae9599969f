/** The tables as release 0.1 made them. */
export const SCHEMA_0_1 = `
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

PRAGMA application_id = 0x53746172;
PRAGMA user_version = 1;
`;

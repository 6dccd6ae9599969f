/** Marks the file as Starfold's in SQLite's header (`PRAGMA application_id`): "Star" in ASCII. */
export const APPLICATION_ID = 0x53746172;

/** The version of the tables below, stored as `PRAGMA user_version`. */
export const SCHEMA_VERSION = 4;

/** Added in version 2. */
const FAIR_TABLES = `
CREATE INDEX messages_by_tenant ON messages (queue, group_id, tenant, sequence) WHERE hidden_until = 0;

CREATE TABLE ready_groups (
  queue TEXT NOT NULL,
  group_id TEXT NOT NULL,
  tenant TEXT NOT NULL,
  first_sequence INTEGER NOT NULL,
  PRIMARY KEY (queue, group_id, tenant)
) STRICT, WITHOUT ROWID;
CREATE INDEX ready_groups_by_tenant ON ready_groups (queue, tenant, first_sequence);

CREATE TABLE turns (
  queue TEXT NOT NULL,
  tenant TEXT NOT NULL,
  served INTEGER NOT NULL,
  ready INTEGER NOT NULL,
  PRIMARY KEY (queue, tenant)
) STRICT, WITHOUT ROWID;
CREATE INDEX turns_by_served ON turns (queue, served);
CREATE INDEX turns_ready ON turns (queue, served, tenant) WHERE ready = 1;
`;

/** Added in version 3. */
const BACKLOG_TABLES = `
CREATE TABLE backlogs (
  queue TEXT NOT NULL,
  tenant TEXT NOT NULL,
  messages INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  left_out INTEGER NOT NULL,
  PRIMARY KEY (queue, tenant)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER messages_added AFTER INSERT ON messages BEGIN
  INSERT INTO backlogs VALUES (new.queue, new.tenant, 1, octet_length(new.body), 0)
    ON CONFLICT (queue, tenant) DO UPDATE
    SET messages = messages + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER messages_removed AFTER DELETE ON messages BEGIN
  UPDATE backlogs SET messages = messages - 1, bytes = bytes - octet_length(old.body)
    WHERE queue = old.queue AND tenant = old.tenant;
  DELETE FROM backlogs
    WHERE queue = old.queue AND tenant = old.tenant AND messages = 0 AND left_out = 0;
END;
`;

/**
 * Tables of the item store and of all queues.
 *
 * `items` has a rowid although its key is text, because rows with large bodies are several times slower without one. Text is
 * compared by its UTF-8 bytes (SQLite's default collation), as the ports require.
 *
 * `messages.hidden_until` is 0 while a message may be received. Otherwise the message is delayed (never received so far) or in
 * flight until that time, in milliseconds since the epoch. `group_id` is empty for a message of a standard queue without a
 * group. `tenant` is the group in a standard queue, and empty if the sender named none. `receive_count` is the number of the last
 * receipt; `uncounted` of these numbers do not count for the dead-letter queue.
 *
 * `ready_groups` has the groups that may deliver: groups with visible messages, and in a FIFO queue without hidden ones. Each
 * group has a row for every tenant of its visible messages, with the tenant's first message. `turns` has the tenants, whether
 * they have such a group, and a number that grows each time a tenant is served. A part of a tenant has a row only while it has such a
 * group. So a receive finds the tenant that was served
 * least recently, and its oldest group, without a walk through the backlog of other tenants.
 *
 * `backlogs` has the number of messages that a queue holds for a tenant, in flight or not, the bytes of their bodies, and the
 * number of messages that were sent but not kept. Triggers count in the transaction that changes the messages. So the numbers
 * are correct wherever a process ends, and never have to be counted again.
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
  receive_count INTEGER NOT NULL,
  tenant TEXT NOT NULL DEFAULT '',
  uncounted INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX messages_by_group ON messages (queue, group_id, hidden_until, sequence);
CREATE INDEX messages_hidden ON messages (queue, hidden_until) WHERE hidden_until > 0;
${FAIR_TABLES}
${BACKLOG_TABLES}
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

/**
 * Upgrades a file of version 1 (release 0.1) to version 2. Version 1 had no tenants, so the messages get the empty one. The
 * groups of FIFO queues, the only ones with a name, keep their state.
 */
const FROM_VERSION_1 = `
ALTER TABLE messages ADD COLUMN tenant TEXT NOT NULL DEFAULT '';
DROP TABLE ready_groups;
${FAIR_TABLES}
INSERT INTO ready_groups
  SELECT queue, group_id, '', min(sequence) FROM messages AS visible
  WHERE hidden_until = 0 AND (group_id = '' OR NOT EXISTS (
    SELECT 1 FROM messages AS hidden
    WHERE hidden.queue = visible.queue AND hidden.group_id = visible.group_id AND hidden.hidden_until > 0))
  GROUP BY queue, group_id;
INSERT INTO turns SELECT DISTINCT queue, '', 0, 1 FROM ready_groups;
`;

/** Upgrades a file of version 2 to version 3: counts the stored messages. */
const FROM_VERSION_2 = `
${BACKLOG_TABLES}
INSERT INTO backlogs
  SELECT queue, tenant, count(*), sum(octet_length(body)), 0 FROM messages GROUP BY queue, tenant;
`;

/** Upgrades a file of version 3 to version 4: every receipt so far counts. */
const FROM_VERSION_3 = `
ALTER TABLE messages ADD COLUMN uncounted INTEGER NOT NULL DEFAULT 0;
`;

/** Returns the statements that upgrade a file of an older version to this version. */
export function upgradeFrom(version: number): string {
  const steps = [FROM_VERSION_1, FROM_VERSION_2, FROM_VERSION_3].slice(version - 1);
  return `${steps.join('')} PRAGMA user_version = ${SCHEMA_VERSION};`;
}

import { contentHash } from '#shared/content-hash.ts';
import { wholeTenant } from '#shared/ports/message-queue.ts';

/** What SQS accepts as a group. */
const GROUP = /^[!-~]{1,128}$/;

/** A text as the name of a group: the text itself if a queue accepts it, otherwise a hash of it. */
export function groupName(text: string): string {
  return GROUP.test(text) ? text : contentHash(text);
}

/** The group of a forwarder's messages in the queue of events (`MessageQueue`, standard queues): `wec/cluster1`. */
export function sourceGroup(source: { readonly type: string; readonly name: string }): string {
  return groupName(`${source.type}/${source.name}`);
}

const PART_CHARACTERS = 16;

/** Names joined. If a queue would not accept them, a hash stands for all but the last one, which `changingTenant` needs. */
function joined(names: readonly string[]): string {
  const text = names.join('|');
  if (names.length < 2 || groupName(text) === text) return groupName(text);
  return groupName([contentHash(names.slice(0, -1).join('|')), ...names.slice(-1)].join('|'));
}

/**
 * The tenant of work in a queue, after the changes that it follows from, each as `ChangeTime.changedBy`: the changes together, and
 * a part if one of them is a part.
 */
export function tenantName(...changes: readonly string[]): string {
  const parts = changes.flatMap((change) => change.split('~').slice(1));
  const whole = joined(changes.map((change) => wholeTenant(change)));
  if (parts.length === 0) return whole;
  const tenant = `${whole}~${contentHash(parts.join(' ')).slice(0, PART_CHARACTERS)}`;
  return groupName(tenant) === tenant ? tenant : whole;
}

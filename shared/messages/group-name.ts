import { contentHash } from '#shared/content-hash.ts';

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

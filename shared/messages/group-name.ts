import { contentHash } from '#shared/content-hash.ts';

/** What SQS takes as a group. */
const GROUP = /^[!-~]{1,128}$/;

/** The text as the name of a group: itself where a queue takes it, else a hash of it. */
export function groupName(text: string): string {
  return GROUP.test(text) ? text : contentHash(text);
}

/** The group of a forwarder's messages in the queue of events (`MessageQueue`, standard queues): `wec/cluster1`. */
export function sourceGroup(source: { readonly type: string; readonly name: string }): string {
  return groupName(`${source.type}/${source.name}`);
}

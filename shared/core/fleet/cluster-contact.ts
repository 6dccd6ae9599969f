import { parseTimestamp } from '#shared/core/expression/time.ts';
import { type JsonObject, textAt } from '#shared/core/json.ts';

/** An agent reports every 15 minutes (Fleet's chart, `agentCheckinInterval`); one that misses three has fallen silent. */
const AGENT_SILENCE_LIMIT_MS = 3 * 15 * 60_000;

const NANOS_PER_MS = 1_000_000n;
/** What Go writes for a time that was never set. */
const ZERO_TIME = '0001-01-01T00:00:00Z';

/** Whether a cluster's agent has ever reported, and whether it still does. */
export type ClusterContact =
  | { readonly type: 'connected' | 'never' }
  | { readonly type: 'silent'; readonly lastSeen: string };

/** `status.agent.lastSeen` of a Cluster: when its agent last reported, RFC 3339; `''`: it never has. */
export function agentLastSeen(cluster: JsonObject): string {
  const lastSeen = textAt(cluster, 'status', 'agent', 'lastSeen');
  const isTime = typeof parseTimestamp(lastSeen) !== 'string';
  return isTime && lastSeen !== ZERO_TIME ? lastSeen : '';
}

/**
 * What {@link agentLastSeen} says at a time.
 *
 * @param nowMs milliseconds since the epoch
 */
export function contactAt(lastSeen: string, nowMs: number): ClusterContact {
  const seen = parseTimestamp(lastSeen);
  if (typeof seen === 'string') return { type: 'never' };
  const silentMs = nowMs - Number(seen.nanos / NANOS_PER_MS);
  return silentMs > AGENT_SILENCE_LIMIT_MS ? { type: 'silent', lastSeen } : { type: 'connected' };
}

/**
 * Whether a Cluster's agent reports at a time.
 *
 * @param nowMs milliseconds since the epoch
 */
export function clusterContact(cluster: JsonObject, nowMs: number): ClusterContact {
  return contactAt(agentLastSeen(cluster), nowMs);
}

/** What is said of a deployment whose cluster has fallen silent. */
export function silenceText(lastSeen: string): string {
  return `agent last seen ${lastSeen}`;
}

import { parseTimestamp } from '#shared/core/expression/time.ts';
import { type JsonObject, textAt } from '#shared/core/json.ts';

/** An agent reports every 15 minutes (Fleet's chart, `agentCheckinInterval`). An agent that misses three reports is silent. */
const AGENT_SILENCE_LIMIT_MS = 3 * 15 * 60_000;

const NANOS_PER_MS = 1_000_000n;
/** Go writes this for a time that was never set. */
const ZERO_TIME = '0001-01-01T00:00:00Z';

/** Whether the agent of a cluster has ever reported, and whether it still reports. */
export type ClusterContact =
  | { readonly type: 'connected' | 'never' }
  | { readonly type: 'silent'; readonly lastSeen: string };

/** `status.agent.lastSeen` of a Cluster: the time of the agent's last report in RFC 3339, or `''` if it has never reported. */
export function agentLastSeen(cluster: JsonObject): string {
  const lastSeen = textAt(cluster, 'status', 'agent', 'lastSeen');
  const isTime = typeof parseTimestamp(lastSeen) !== 'string';
  return isTime && lastSeen !== ZERO_TIME ? lastSeen : '';
}

/**
 * The contact at a time, from the result of {@link agentLastSeen}.
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
 * The contact of a Cluster at a time.
 *
 * @param nowMs milliseconds since the epoch
 */
export function clusterContact(cluster: JsonObject, nowMs: number): ClusterContact {
  return contactAt(agentLastSeen(cluster), nowMs);
}

/** The message for a deployment whose cluster is silent. */
export function silenceText(lastSeen: string): string {
  return `agent last seen ${lastSeen}`;
}

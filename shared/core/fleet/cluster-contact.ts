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

/**
 * What `status.agent.lastSeen` of a Cluster says at a time.
 *
 * @param nowMs milliseconds since the epoch
 */
export function clusterContact(cluster: JsonObject, nowMs: number): ClusterContact {
  const lastSeen = textAt(cluster, 'status', 'agent', 'lastSeen');
  const seen = parseTimestamp(lastSeen);
  if (typeof seen === 'string' || lastSeen === ZERO_TIME) return { type: 'never' };
  const silentMs = nowMs - Number(seen.nanos / NANOS_PER_MS);
  return silentMs > AGENT_SILENCE_LIMIT_MS ? { type: 'silent', lastSeen } : { type: 'connected' };
}

/** What is said of a deployment whose cluster has fallen silent. */
export function silenceText(lastSeen: string): string {
  return `agent last seen ${lastSeen}`;
}

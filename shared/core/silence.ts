/**
 * A WEC that has not been heard of for longer is silent, in milliseconds. A forwarder that sees its cluster sends a
 * heartbeat every 30 s; Open Cluster Management grants an agent as much: 5 leases of 60 s.
 */
export const SILENCE_LIMIT_MS = 5 * 60_000;

/**
 * Whether a WEC that was last heard of at `heardMs` is silent at `nowMs` (docs/architecture.md, section 9.9).
 *
 * @param limitMs how long it may say nothing
 */
export function isSilent(heardMs: number, nowMs: number, limitMs: number): boolean {
  return nowMs - heardMs > limitMs;
}

/**
 * A WEC that has sent no heartbeat for longer than this is silent, in milliseconds. A forwarder that sees its cluster
 * sends a heartbeat every 30 s. Open Cluster Management gives an agent the same time: 5 leases of 60 s.
 */
export const SILENCE_LIMIT_MS = 5 * 60_000;

/**
 * The WECs that have been silent for longer than their limit, by name, with the time of their last heartbeat (RFC 3339).
 * `undefined`: that time is not known.
 */
export type SilentWecs = ReadonlyMap<string, string | undefined>;

/**
 * Whether a WEC whose last heartbeat was at `heardMs` is silent at `nowMs` (docs/architecture.md, section 9.9).
 *
 * @param limitMs how long a WEC may send no heartbeat
 */
export function isSilent(heardMs: number, nowMs: number, limitMs: number): boolean {
  return nowMs - heardMs > limitMs;
}

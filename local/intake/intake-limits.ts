import type { DebtRate } from '#shared/debts.ts';
import type { AdmissionLimits } from './admission.ts';
import type { ConnectionLimits } from './connections.ts';
import type { Pace } from './request-body.ts';

/** How long operations may take, in milliseconds, and how many there may be. */
export interface IntakeLimits extends AdmissionLimits, ConnectionLimits, Pace {
  readonly connections: number;
  /** The requests of one token. Further ones wait. */
  readonly rateOfToken: DebtRate;
  /** Time for the TLS handshake, and for the head of a request. */
  readonly headMs: number;
  /** Time for a whole request. */
  readonly requestMs: number;
  /** Time for the rest of a request that has been answered, on a connection without a token. */
  readonly strangerRestMs: number;
  /** Time for requests in progress when the server stops. */
  readonly stopMs: number;
  /** Time between two checks whether certificate and key have changed. */
  readonly certificateMs: number;
}

/** The default limits. */
export const LIMITS: IntakeLimits = {
  requests: 16,
  requestsOfToken: 4,
  waitingOfToken: 16,
  // Much less than a sender waits for its answer.
  waitMs: 30_000,
  turnMs: 2_000,
  connections: 4_096,
  // A forwarder sends one request at a time, with more events the longer the one before took.
  rateOfToken: { perSecond: 100, burst: 50 },
  // A forwarder does not send a request before the answer to the one before.
  requestsOfConnection: 16,
  strangersOfAddress: 64,
  // More than the health checks that share a connection need: the next one opens another.
  requestsOfStranger: 16,
  strangerIdleMs: 5_000,
  // Longer than the time between two heartbeats of a forwarder, so that its connection is kept for the next one.
  idleMs: 150_000,
  headMs: 10_000,
  bodyMs: 10_000,
  bytesPerSecond: 8 * 1024,
  requestMs: 120_000,
  strangerRestMs: 1_000,
  stopMs: 400,
  certificateMs: 2_000,
};

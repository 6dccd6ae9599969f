import { TokenBucket } from 'limiter';

/** The rate of requests. */
export interface RateLimitOptions {
  /** The average number of requests in a second. */
  readonly qps: number;
  /** The number of requests that may be sent at once after a quiet time, 1 or more. */
  readonly burst: number;
}

/** Waits until a request may be sent. Rejects with the signal's reason if it aborts before. */
export type RateLimit = (signal: AbortSignal | undefined) => Promise<void>;

/**
 * A token bucket for the requests of one client, full at first, like client-go's `flowcontrol.NewTokenBucketRateLimiter`.
 * Requests are sent in the order of the calls. A request that is aborted while it waits takes no token. There are no
 * priorities: a request that must not wait behind others, such as the renewal of a Lease, uses a connection without the limit.
 *
 * @throws RangeError if `qps` or `burst` is negative or not finite. A 0 means no limit.
 */
export function createRateLimit({ qps, burst }: RateLimitOptions): RateLimit {
  const bucket = new TokenBucket({ bucketSize: burst, tokensPerInterval: qps, interval: 'second' });
  bucket.content = burst;
  const waiting = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  const serve = (): void => {
    timer = undefined;
    for (const release of waiting) {
      if (!bucket.tryRemoveTokens(1)) {
        timer = setTimeout(serve, Math.max(1, bucket.getWaitTime(1)));
        return;
      }
      waiting.delete(release);
      release();
    }
  };
  return (signal) =>
    new Promise((resolve, reject) => {
      const abort = (): void => {
        waiting.delete(release);
        reject(signal?.reason);
      };
      const release = (): void => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      waiting.add(release);
      if (timer === undefined) serve();
    });
}

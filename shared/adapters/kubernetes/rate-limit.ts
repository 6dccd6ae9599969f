import { TokenBucket } from 'limiter';

/** How many requests are let out. */
export interface RateLimitOptions {
  /** Requests in a second, over time. */
  readonly qps: number;
  /** Requests that may go out at once after a quiet time, 1 or more. */
  readonly burst: number;
}

/** Waits until a request may go out; rejects with the signal's reason when that aborts before. */
export type RateLimit = (signal: AbortSignal | undefined) => Promise<void>;

/**
 * A token bucket for the requests of one client, full at first, as client-go's `flowcontrol.NewTokenBucketRateLimiter`.
 * Requests go out in the order in which they came; one that is aborted while it waits takes no token. There are no
 * priorities: what must not wait behind others, as the renewal of a Lease, uses a connection without the limit.
 *
 * @throws RangeError when `qps` or `burst` is negative or not finite. A 0 means no limit.
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

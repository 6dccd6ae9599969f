import { ApiUnavailableError } from '#shared/errors.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';

/** A request that was not answered after this time has found an API server that hangs, in milliseconds. */
const HANG_MS = 1_000;
/** How long an API server that hangs is not asked again, in milliseconds. */
const HOLD_MS = 5_000;
/** Longer than any request, in milliseconds. */
const GONE_MS = 60_000;

/** An API server that hangs, and when it is asked again, in milliseconds. */
interface Hold {
  readonly error: unknown;
  readonly freeAt: number;
}

function hangs(error: unknown, ms: number): boolean {
  return error instanceof ApiUnavailableError && error.status === undefined && ms >= HANG_MS;
}

/**
 * Reviews that fail at once while the API server is known to hang: a request was not answered within its timeout. Every 5
 * seconds, one review is tried. So an answer that needs many reviews waits for one timeout, not for one after the other.
 *
 * @param now milliseconds that only grow
 * @returns throws what `create` throws; while the API server is known to hang, the error of the last review that was tried
 */
export function heldReviews(
  api: Pick<ObjectApi, 'create'>,
  now: () => number,
): Pick<ObjectApi, 'create'> {
  let hold: Hold | undefined;
  return {
    async create(...review) {
      if (hold !== undefined) {
        if (now() < hold.freeAt) throw hold.error;
        hold = { ...hold, freeAt: now() + GONE_MS };
      }
      const begun = now();
      try {
        const answer = await api.create(...review);
        hold = undefined;
        return answer;
      } catch (error) {
        const isHanging = hangs(error, now() - begun);
        hold = isHanging ? { error, freeAt: now() + HOLD_MS } : undefined;
        throw error;
      }
    },
  };
}

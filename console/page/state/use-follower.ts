import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Follower, FollowerOptions } from '#console/live/follower.ts';
import type { ApiObject } from '#console/model/api-objects.ts';
import { follow } from './state.ts';

/**
 * Follows objects as long as a part of the page is shown.
 *
 * @param options what is followed. Undefined: nothing for now
 * @param inputs when one of them changes, the options are used anew
 */
export function useFollower<T extends ApiObject, Row>(
  options: FollowerOptions<T, Row> | undefined,
  inputs: readonly unknown[],
): Follower<T, Row> | undefined {
  const found = useSignal<Follower<T, Row> | undefined>(undefined);
  useEffect(() => {
    if (options === undefined) return undefined;
    const { follower, stop } = follow<T, Row>(options);
    found.value = follower;
    return () => {
      stop();
      found.value = undefined;
    };
  }, inputs);
  return found.value;
}

import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Follower } from '#console/live/follower.ts';
import type { WecStatusObject } from '#console/model/api-objects.ts';
import { isRowChanged, type WecRow, wecRow } from '#console/model/wec-row.ts';
import { allExplanations, explanations, follow, LISTS, noteChange } from '../state.ts';

/** Up to so many rows, each WEC has its own place in each spectrum. With more, only the counts are known. */
const MAX_PLACED = 5_000;

type RowFollower = Follower<WecStatusObject, WecRow>;

/** What is known of what each WEC says about each object. */
export interface WecRows {
  /** Absent until they are read, and if they are too many. */
  readonly rows?: readonly WecRow[];
  readonly isTooMany: boolean;
  /** Whether changes are told. */
  readonly isFollowed: boolean;
}

/** Follows what each WEC says about each object. If these are too many to be read, it follows the changes alone. */
export function useWecRows(): WecRows {
  const found = useSignal<RowFollower | undefined>(undefined);
  const total = allExplanations.value.reduce((sum, { wecs: { qualified } }) => sum + qualified, 0);
  const isRead = explanations.isRead.value && total > 0;
  const isTooMany = total > MAX_PLACED;
  useEffect(() => {
    if (!isRead) return undefined;
    const { follower, stop } = follow<WecStatusObject, WecRow>({
      path: `${LISTS}/wecstatuses`,
      rowOf: wecRow,
      isChanged: isRowChanged,
      onChange: noteChange,
      ...(isTooMany ? { onlyChanges: true } : {}),
    });
    found.value = follower;
    return () => {
      stop();
      found.value = undefined;
    };
  }, [isRead, isTooMany]);
  const shown = found.value?.shown.value;
  const rows = useMemo(() => [...(shown?.values() ?? [])], [shown]);
  return {
    ...(rows.length === 0 ? {} : { rows }),
    isTooMany,
    isFollowed: !isTooMany || found.value?.isWatching.value !== false,
  };
}

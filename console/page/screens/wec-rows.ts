import { useMemo } from 'preact/hooks';
import type { WecStatusObject } from '#console/model/api-objects.ts';
import { isRowChanged, type WecRow, wecRow } from '#console/model/wec-row.ts';
import { allExplanations, explanations, LISTS, noteChange } from '#console/page/state/state.ts';
import { useFollower } from '#console/page/state/use-follower.ts';

/** Up to so many rows, each WEC has its own place in each spectrum. With more, only the counts are known. */
export const MAX_PLACED = 5_000;

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
  const total = allExplanations.value.reduce((sum, { wecs: { qualified } }) => sum + qualified, 0);
  const isRead = explanations.isRead.value && total > 0;
  const isTooMany = total > MAX_PLACED;
  const options = {
    path: `${LISTS}/wecstatuses`,
    rowOf: wecRow,
    isChanged: isRowChanged,
    onChange: noteChange,
    ...(isTooMany ? { onlyChanges: true as const } : {}),
  };
  const follower = useFollower<WecStatusObject, WecRow>(isRead ? options : undefined, [
    isRead,
    isTooMany,
  ]);
  const shown = follower?.shown.value;
  const rows = useMemo(() => [...(shown?.values() ?? [])], [shown]);
  return {
    ...(rows.length === 0 ? {} : { rows }),
    isTooMany,
    isFollowed: !isTooMany || follower?.isWatching.value !== false,
  };
}

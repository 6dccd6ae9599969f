import type { Follower } from '#console/live/follower.ts';
import type { ApiObject } from '#console/model/api-objects.ts';
import { onlyNamespace } from '#console/page/state/state.ts';
import { OutsideText } from './outside-text.tsx';

type AnyFollower = Pick<Follower<ApiObject, unknown>, 'isRead' | 'phase' | 'warnings'> | undefined;

/** Whether a follower has read all that it may: what was refused from the first is left out. */
export function isDone(follower: AnyFollower): boolean {
  const phase = follower?.phase.value;
  return (
    follower?.isRead.value === true || (phase?.type === 'refused' && phase.sinceMs === undefined)
  );
}

/** Why objects of a list are left out, if they are. */
function reasons(follower: AnyFollower, objects: string): readonly string[] {
  const phase = follower?.phase.value;
  if (phase?.type === 'refused' && phase.sinceMs === undefined)
    return [`${objects} are left out: ${phase.error.message}`];
  return follower?.warnings.value ?? [];
}

/** What is not shown because the user may not read it. */
export function LeftOut({
  follower,
  cluster,
}: {
  /** Reads objects with a namespace. */
  readonly follower: AnyFollower;
  /** Reads objects without one. */
  readonly cluster: AnyFollower;
}) {
  const all = [
    ...reasons(follower, 'Objects with a namespace'),
    // Who has chosen a namespace does not want the others.
    ...(onlyNamespace === undefined ? reasons(cluster, 'Objects without a namespace') : []),
  ];
  if (all.length === 0) return null;
  return (
    <p class="note">
      <OutsideText text={all.join('. ')} max={500} />.
    </p>
  );
}

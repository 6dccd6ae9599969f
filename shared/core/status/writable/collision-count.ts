import type { StatusWrite, WritableStatus } from './status-write.ts';
import { withChanges } from './status-write.ts';

/**
 * A `collisionCount` that is stored, also 0, can neither be lowered nor removed: each such write is refused, whatever
 * else it changes (Kubernetes, validation of the status updates of Deployments, StatefulSets and DaemonSets). So the
 * stored one is kept where it is the higher one.
 */
export function keepCollisionCount({ desired, stored }: StatusWrite): WritableStatus {
  const least = stored['collisionCount'];
  if (typeof least !== 'number') return { status: desired };
  const { collisionCount } = desired;
  const isHighEnough = typeof collisionCount === 'number' && collisionCount >= least;
  return { status: isHighEnough ? desired : withChanges(desired, { collisionCount: least }) };
}

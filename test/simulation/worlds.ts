import { World, type WorldOptions } from './world.ts';

const THREE = ['wec1', 'wec2', 'wec3'];
const SIX = [...THREE, 'wec4', 'wec5', 'wec6'];

/**
 * A third of the worlds folds its workloads in shards, a third has one workload object alone. In half of them an invocation
 * has time for one shard alone.
 */
export function worldOf(
  seed: number,
  options: Pick<WorldOptions, 'backend' | 'crowded' | 'notifications' | 'rolling'> = {},
): World {
  const late = seed % 4 < 2;
  if (seed % 3 === 0) return new World(seed, THREE, options);
  if (seed % 3 === 1) return new World(seed, SIX, { ...options, unsharded: 2, late });
  return new World(seed, seed % 2 === 0 ? THREE : SIX, {
    ...options,
    narrow: true,
    unsharded: 3,
    late,
  });
}

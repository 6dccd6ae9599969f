import { expect, it } from 'vitest';
import { emptyCluster, invalidSource, severalOrigins } from '#local/cli/input/report-messages.ts';

it('says in these words what is wrong with a report', () => {
  expect([invalidSource('group'), severalOrigins(['wds1', 'wds2']), emptyCluster('ns/c1')]).toEqual(
    [
      'spec.sourceRef.group is missing or not a string: name the workload object of this status',
      'the WorkStatuses come from several WDSes (wds1, wds2), and all are used: choose one with --wds',
      '--wec ns/c1: there is no object in it: leave it out if nothing is known about the cluster; an empty List means that it has none',
    ],
  );
});

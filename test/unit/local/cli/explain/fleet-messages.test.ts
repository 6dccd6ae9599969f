import { expect, it } from 'vitest';
import { targetsReported, waitingTargets, worstState } from '#local/cli/explain/fleet-messages.ts';

it('says how far the targets of an object of Fleet are', () => {
  expect([
    targetsReported(2, 3),
    waitingTargets('fleet-default/a'),
    worstState('NotReady', 4, ''),
    worstState('NotReady', 4, 'it is late'),
  ]).toEqual([
    'Targets: 2 of 3 have a BundleDeployment',
    'waiting: fleet-default/a',
    'Worst state: NotReady (rank 4)',
    'Worst state: NotReady (rank 4): it is late',
  ]);
});

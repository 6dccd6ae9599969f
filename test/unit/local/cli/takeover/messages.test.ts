import { expect, it } from 'vitest';
import { TAKEOVER } from '#local/cli/takeover/messages.ts';

it('says who writes a cluster, and why that is not changed', () => {
  expect([
    TAKEOVER.changed('wds1'),
    TAKEOVER.forbidden('wds1', 'leases is forbidden'),
    TAKEOVER.unavailable('wds1', 'no route'),
    TAKEOVER.noTerminal('wds1', 'first', 'second'),
    TAKEOVER.question('wds1', 'first', 'second'),
    TAKEOVER.declined('first'),
    TAKEOVER.first('wds1', 'second'),
    TAKEOVER.same('wds1', 'second'),
    TAKEOVER.replaced('wds1', 'first', 'second'),
    TAKEOVER.runsAs,
  ]).toEqual([
    'wds1: the writer was changed in the meantime, so nothing was done: repeat the command to see the new one',
    'wds1: leases is forbidden: the user of this command needs get, create and update of leases.coordination.k8s.io in the namespace kube-system',
    'wds1: no route: check that its API server answers, and the server of this context in the kubeconfig',
    'first writes wds1: give --yes to replace it with second, because there is no terminal for the question',
    'first writes wds1. Replace it with second?',
    'nothing was changed: first writes the cluster',
    'second writes wds1 from now on; it had no writer before.',
    'second writes wds1 already.',
    'second writes wds1 from now on. first may write for another minute, and notices this at its next write after that.',
    'made the writer by starfold takeover',
  ]);
});

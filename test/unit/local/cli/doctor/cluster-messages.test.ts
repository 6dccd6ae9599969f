import { expect, it } from 'vitest';
import {
  CLUSTER_REMEDIES,
  GRANTS,
  NO_WDS,
  noChecks,
  notAsked,
  notPermitted,
  permitted,
  rejects,
  takenByAnother,
  unreachable,
} from '#local/cli/doctor/cluster-messages.ts';

it('doctor says whether the writer can use its clusters', () => {
  expect([
    NO_WDS,
    permitted('wds1'),
    notPermitted('wds1', 'get pods'),
    rejects('wds1', '401'),
    unreachable('wds1'),
    unreachable('wds1', 'no route'),
    notAsked('wds1', 'no parameter'),
    takenByAnother('wds1 is written by another installation'),
    CLUSTER_REMEDIES.kubeconfig,
    CLUSTER_REMEDIES.silence,
    GRANTS.wds,
    GRANTS.fleet('compare'),
    noChecks('starfold-prod-write-results', '{}'),
  ]).toEqual([
    {
      message: 'no WDS is configured',
      remedy: 'add it to wdses in infra/settings.yml and deploy again',
    },
    'wds1 answers, and the writer has all permissions that it needs',
    'wds1 answers, but the writer may not get pods',
    'wds1 answers, but rejects the request: 401',
    'wds1 cannot be reached: it does not answer',
    'wds1 cannot be reached: no route',
    'wds1 cannot be asked: no parameter',
    {
      message: 'wds1 is written by another installation',
      remedy: 'do what the message says; hints wait until then',
    },
    'do what the message says; the kubeconfig is read again automatically, and hints wait until then',
    'check whether its API server runs and AWS can reach it; hints wait until then',
    'allow it to the user of its kubeconfig in the WDS (infra/rbac/writer.yaml, docs/operations.md)',
    'allow it to the user of its kubeconfig in the management cluster (infra/rbac/fleet-compare.yaml, docs/operations.md)',
    {
      message: 'starfold-prod-write-results did not answer whether the WDSes can be reached: {}',
      remedy: 'see its log; after an update, deploy it again',
    },
  ]);
});

import { expect, it } from 'vitest';
import {
  allReporting,
  inManagementCluster,
  inWds,
  moreBindings,
  moreSetAside,
  NO_WEC_REPORTED,
  NOBODY_REGISTERED,
  NONE_SET_ASIDE,
  neverReported,
  notListed,
  notRegistered,
  notReporting,
  quotaReached,
  setAside,
  silenceNotRecorded,
  silentSource,
  sourcesReport,
} from '#local/cli/doctor/messages.ts';

const WEC = { type: 'wec', name: 'a' } as const;
const WDS = { type: 'wds', name: 'b' } as const;

it('doctor says what is wrong with sources, Bindings and subjects', () => {
  expect([
    notListed(WEC),
    quotaReached(WEC, 3, 4),
    notRegistered(WEC, '60 s'),
    silentSource(WEC, '6 min'),
    silentSource(WDS, '6 min'),
    silenceNotRecorded(WEC),
    neverReported(WDS),
    NO_WEC_REPORTED,
    NOBODY_REGISTERED,
    sourcesReport(1),
    sourcesReport(0, 1),
    sourcesReport(2, 2),
    allReporting(1),
    notReporting('Binding b: 1 of 2'),
    moreBindings(3),
    NONE_SET_ASIDE,
    setAside(inWds('Binding b', 'wds1'), '2 h', '3 min'),
    setAside(inManagementCluster('bundles fleet-default/web', 'rancher1'), '2 h'),
    moreSetAside(2),
  ]).toEqual([
    {
      message:
        'wec/a has not reported everything since this state began: statuses that may depend on it are kept unchanged',
      remedy:
        'wait until its forwarder has listed its cluster; otherwise, see its log and restart it; if it was removed: starfold unregister wec/a',
    },
    {
      message:
        'wec/a has reached its quota of 3 objects (4 are counted): no new objects are recorded',
      remedy:
        'have its forwarder select fewer objects, or raise objectsPerWec in infra/settings.yml and deploy; its next snapshot, or a restart of it, reports what was left out',
    },
    {
      message: 'wec/a has reported (60 s ago) but is not registered: its events are rejected',
      remedy: 'starfold register wec/a, or starfold unregister wec/a to remove it permanently',
    },
    {
      message: 'wec/a has been silent for 6 min: its results are stale',
      remedy:
        'check whether its forwarder runs and reaches its cluster and SQS; if it was removed: starfold unregister wec/a',
    },
    {
      message: 'wds/b has been silent for 6 min: changes there are not noticed',
      remedy:
        'check whether its forwarder runs and reaches its cluster and SQS; if it was removed: starfold unregister wds/b',
    },
    {
      message: 'sweep-stale has not recorded that wec/a is silent',
      remedy: 'check whether its schedule is enabled, and see its log',
    },
    {
      message: 'wds/b is registered but has never reported',
      remedy:
        'check whether its forwarder runs, under this name and as the registered principal; otherwise: starfold unregister wds/b',
    },
    {
      message: 'wec/* is registered but no WEC has ever reported',
      remedy:
        "check whether the forwarder of the ITS runs, and as the registered principal; otherwise: starfold unregister 'wec/*' --principal ID (starfold register --list shows it)",
    },
    {
      message: 'no source is registered: no event is recorded',
      remedy:
        'starfold register wec/NAME --role ARN, and wds/NAME or fleet/NAME, for each forwarder',
    },
    '1 source registered, each reports',
    'wec/* is registered, and 1 WEC without a registration of its own reports',
    '2 sources registered, each reports; wec/* is registered too, and 2 WECs without a registration of its own report',
    '1 Binding, none sends to a silent WEC',
    {
      message: 'Binding b: 1 of 2',
      remedy:
        'check whether the forwarder of each of these WECs runs and reaches its cluster and SQS; if a WEC was removed, remove it from the Binding or BindingPolicy, then: starfold unregister wec/NAME',
    },
    '3 more Bindings with WECs that do not report',
    'none is set aside',
    {
      message:
        'Binding b in WDS wds1 has been set aside for 2 h: its aggregation ends the process; retried in 3 min',
      remedy:
        'simplify the expressions of its StatusCollectors, or have clusters report less of it; the log of aggregate-workload shows how the function ended',
    },
    {
      message:
        'bundles fleet-default/web in management cluster rancher1 has been set aside for 2 h: its aggregation ends the process; retried now',
      remedy:
        'simplify the expressions of its StatusCollectors, or have clusters report less of it; the log of aggregate-workload shows how the function ended',
    },
    {
      message: '2 more subjects set aside',
      remedy:
        'simplify the expressions of its StatusCollectors, or have clusters report less of it; the log of aggregate-workload shows how the function ended',
    },
  ]);
});

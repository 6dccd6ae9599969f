import { describe, expect, it } from 'vitest';
import type { ForwarderState } from '#functions/event-forwarder/forwarder-options.ts';
import {
  cannotList,
  LEADER_WAITS,
  leaderStuck,
  leftOut,
  NOT_LISTED,
  NOT_SERVED,
  nothingAccepted,
  notServed,
  queueFails,
  STOPPING,
  sourceFails,
} from '#functions/event-forwarder/program/check-messages.ts';
import { liveness, readiness } from '#functions/event-forwarder/program/checks.ts';
import type { ProgramStatus } from '#functions/event-forwarder/program/status.ts';
import { electionState, leading, reflectorState, STARTED } from './states.ts';

function failing(status: ProgramStatus): readonly string[] {
  return readiness(status)
    .filter(({ ok }) => !ok)
    .map(({ name, text }) => `${name}: ${text}`);
}

const CANDIDATE = { role: 'candidate', epoch: undefined, renewedAt: undefined } as const;

describe('readiness', () => {
  it('is there for a leader that watches its source and whose queue accepts events', () => {
    expect(failing(leading())).toEqual([]);
    expect(readiness(leading()).map(({ name }) => name)).toEqual([
      'election',
      'source',
      'queue',
      'deployments.apps/v1',
    ]);
  });

  it('is there for a standby that knows who leads', () => {
    const election = electionState({ ...CANDIDATE, holder: 'pod-2' });
    expect(readiness({ ...STARTED, election })).toEqual([
      { name: 'election', ok: true, text: 'standby, pod-2 leads' },
    ]);
  });

  it('is there for a forwarder without an election', () => {
    const { election: _none, ...status } = leading();
    expect(failing(status)).toEqual([]);
  });

  it.each<[why: string, status: ProgramStatus, says: string]>([
    ['before anything has begun', STARTED, `leader: ${LEADER_WAITS.started}`],
    [
      'before the Lease was read',
      { ...STARTED, election: electionState({ ...CANDIDATE, holder: undefined }) },
      `leader: ${LEADER_WAITS.unread}`,
    ],
    [
      'while nobody leads',
      { ...STARTED, election: electionState({ ...CANDIDATE, holder: '' }) },
      `leader: ${LEADER_WAITS.vacant}`,
    ],
    [
      'while the Lease names this process and has no epoch yet',
      { ...STARTED, election: electionState({ ...CANDIDATE, holder: 'pod-1' }) },
      `leader: ${LEADER_WAITS.holds}`,
    ],
    [
      'while a leader does not forward yet',
      { ...STARTED, election: electionState() },
      `leader: ${LEADER_WAITS.holds}`,
    ],
    [
      'once a former leader does not forward any more',
      { ...STARTED, election: electionState({ role: 'resigning' }) },
      `leader: ${LEADER_WAITS.resigning}`,
    ],
    [
      'once another process has taken the Lease from a former leader',
      { ...STARTED, election: electionState({ role: 'resigning', holder: 'pod-2' }) },
      `leader: ${LEADER_WAITS.resigning}`,
    ],
    [
      'while the Lease cannot be read',
      {
        ...STARTED,
        election: electionState({ ...CANDIDATE, error: 'Lease a/b: no\nanswer' }),
      },
      'election: Lease a/b: no answer',
    ],
    ['when it is stopping', { ...leading(), stopping: true }, `election: ${STOPPING}`],
  ])('is not there %s', (_why, status, says) => {
    expect(failing(status)).toEqual([says]);
  });

  it.each<[why: string, state: Partial<ForwarderState>, says: string]>([
    ['discovery fails', { sourceError: 'no answer' }, `source: ${sourceFails('no answer')}`],
    [
      'nothing is watched',
      { connected: false },
      `source: ${sourceFails('the cluster is not being watched')}`,
    ],
    ['not everything has been listed', { complete: false }, `source: ${NOT_LISTED}`],
    [
      'the queue is down',
      { queueError: 'refused', unsent: 5 },
      `queue: ${queueFails('refused', 5)}`,
    ],
  ])('is not there for a leader when %s', (_why, state, says) => {
    expect(failing(leading(state))).toEqual([says]);
  });

  it('is not there for a leader before the queue has accepted anything', () => {
    const status = leading({ unsent: 2 });
    const term = status.term && { ...status.term, sent: false };
    expect(failing({ ...status, ...(term && { term }) })).toEqual([`queue: ${nothingAccepted(2)}`]);
  });

  it('is there for a leader that has listed everything and has nothing to send', () => {
    const status = leading({ unsent: 0, objects: 0 });
    const term = status.term && { ...status.term, sent: false };
    expect(failing({ ...status, ...(term && { term }) })).toEqual([]);
  });

  it('names each resource that fails, with its error and the remedy', () => {
    const resources = new Map([
      ['deployments.apps/v1', reflectorState()],
      ['jobs.batch/v1', reflectorState({ phase: 'waiting', error: 'list jobs: forbidden' })],
      ['bindings.control.kubestellar.io/v1alpha1', reflectorState({ phase: 'not-served' })],
      [
        'appliedmanifestworks.work.open-cluster-management.io/v1',
        reflectorState({ phase: 'not-served' }),
      ],
      ['workstatuses.control.kubestellar.io/v1alpha1', reflectorState({ phase: 'not-served' })],
      ['bundles.fleet.cattle.io/v1alpha1', reflectorState({ phase: 'not-served' })],
    ]);
    expect(failing(leading({ resources }))).toEqual([
      `jobs.batch/v1: ${cannotList('list jobs: forbidden')}`,
      expect.stringMatching(
        /^bindings\.control\S+: not served by the cluster: install KubeStellar's/,
      ),
      expect.stringMatching(
        /^appliedmanifestworks\S+: not served by the cluster: register this cluster/,
      ),
      expect.stringMatching(/^workstatuses\S+: not served by the cluster: this is not an ITS, or/),
      expect.stringMatching(/^bundles\S+: not served by the cluster: install Fleet in this/),
    ]);
  });

  it.each([
    [
      ['deployments.apps/v1', 'services/v1'],
      /did you mean deployments\.apps\/v1\? Else install its definition, or remove it there$/,
    ],
    [[], /: install its definition, or remove it there$/],
  ])(
    'is not there if the configuration names a resource that the cluster does not serve',
    (served, remedy) => {
      const name = 'deployment.apps/v1';
      const unserved = reflectorState({ phase: 'not-served' });
      const resources = new Map([
        [name, unserved],
        ['widgets.example.com/v1', unserved],
      ]);
      const status = leading({ resources });
      const term = status.term && { ...status.term, served };
      expect(failing({ ...status, configured: [name], ...(term && { term }) })).toEqual([
        `${name}: ${notServed(name, served)}`,
      ]);
      expect(notServed(name, served)).toMatch(remedy);
    },
  );

  it('is there without HelmOps, which an older Fleet does not have', () => {
    const unserved = reflectorState({ phase: 'not-served' });
    const resources = new Map([['helmops.fleet.cattle.io/v1alpha1', unserved]]);
    expect(failing(leading({ resources }))).toEqual([]);
  });

  it('is there without resources that are not served or not allowed, and reports them', () => {
    const resources = new Map([
      ['widgets.example.com/v1', reflectorState({ phase: 'not-served' })],
      ['leases.coordination.k8s.io/v1', reflectorState({ phase: 'forbidden', error: 'no' })],
    ]);
    const checks = readiness(leading({ resources, problems: ['ManifestWork a: no WDS'] }));
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(checks.slice(3).map(({ text }) => text)).toEqual([
      NOT_SERVED,
      leftOut('no'),
      'ManifestWork a: no WDS',
    ]);
    expect(checks.filter(({ notice }) => notice).map(({ name }) => name)).toEqual([
      'leases.coordination.k8s.io/v1',
      'notice',
    ]);
  });
});

describe('liveness', () => {
  const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };

  it.each([
    ['a leader up to 20 s after its Lease has expired', electionState(), 36_000],
    ['a standby', electionState(CANDIDATE), 1_000_000],
    ['a process without an election', undefined, 1_000_000],
  ])('is there for %s', (_who, election, now) => {
    const status = { ...STARTED, ...(election && { election }) };
    expect(liveness(status, times, now).filter(({ ok }) => !ok)).toEqual([]);
  });

  it.each([
    ['a leader after that', electionState()],
    ['one whose work does not end', electionState({ role: 'resigning' })],
  ])('is not there for %s', (_who, election) => {
    expect(liveness({ ...STARTED, election }, times, 36_001)).toContainEqual({
      name: 'lease',
      ok: false,
      text: leaderStuck(35),
    });
  });
});

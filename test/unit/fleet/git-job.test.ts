import { describe, expect, it } from 'vitest';
import type { ConditionChange } from '#shared/core/fleet/condition.ts';
import {
  failureOf,
  type GitJob,
  gitRepoProgress,
  helmOpProgress,
  readGitJob,
} from '#shared/core/fleet/git-job.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { gitJob, gitRepo, helmOp } from './fixtures/objects.ts';
import { CREATED, condition } from './fixtures/parts.ts';
import { NOW_MS } from './known-fleet.ts';

const STALLED = condition('Stalled', 'True', { message: 'no kustomization.yaml in shop' });
const POLLING_FAILS = condition('GitPolling', 'False', { message: 'no such host' });
const POLLING_STALLED = condition('Stalled', 'True', { message: 'no such host' });
const FAILED = {
  startTime: CREATED,
  failed: 1,
  succeeded: 0,
  conditions: [condition('Failed', 'True')],
};

/** A GitRepo with these conditions, of whose job Fleet says this. */
function repo(gitJobStatus: string, ...conditions: readonly JsonObject[]): JsonObject {
  return gitRepo({ status: { gitJobStatus, conditions } });
}

describe('the git job of a GitRepo', () => {
  it.each<readonly [source: string, status: JsonObject, word: string]>([
    ['kstatus: it is done', {}, 'Current'],
    ['docs/fleet.md: it runs', { conditions: [], succeeded: 0, active: 1 }, 'InProgress'],
    ['kstatus: it has not started', { conditions: [], startTime: null }, 'InProgress'],
    ['kstatus: it failed', FAILED, 'Failed'],
    [
      'kstatus: one that is about to be resumed runs, though it has the condition',
      { conditions: [condition('Suspended', 'True')], succeeded: 0, active: 1 },
      'InProgress',
    ],
    ['kstatus: it cannot be read', { conditions: 'none' }, 'Unknown'],
  ])('%s', (_source, status, word) => {
    expect(readGitJob(repo(''), gitJob({ status }), NOW_MS)?.status).toBe(word);
  });

  it('kstatus: it is suspended, which ends it', () => {
    const status = { conditions: [condition('Suspended', 'True')], succeeded: 0 };
    const job = gitJob({ spec: { suspend: true }, status });
    expect(readGitJob(repo(''), job, NOW_MS)?.status).toBe('Current');
  });

  it('kstatus: it is being deleted', () => {
    const job = gitJob({ metadata: { deletionTimestamp: CREATED } });
    expect(readGitJob(repo(''), job, NOW_MS)).toEqual({ status: 'Terminating', error: '' });
  });

  it("is what Fleet's controller says where it is not known, and else what it says itself", () => {
    expect(readGitJob(repo('InProgress'), undefined, NOW_MS)?.status).toBe('InProgress');
    expect(readGitJob(repo('InProgress'), gitJob(), NOW_MS)?.status).toBe('Current');
  });

  it('is Current if there is known to be none, regardless of the last one', () => {
    expect(readGitJob(repo('Failed'), null, NOW_MS)).toEqual({ status: 'Current', error: '' });
  });

  it('is unknown if neither is given', () => {
    expect(readGitJob(repo(''), undefined, NOW_MS)).toBeUndefined();
    expect(readGitJob(gitRepo({ status: { gitJobStatus: 3 } }), undefined, NOW_MS)).toBeUndefined();
  });

  it.each<readonly [what: string, object: JsonObject, job: JsonObject | undefined, error: string]>([
    [
      'the log that is in Stalled',
      repo('', STALLED),
      gitJob({ status: FAILED }),
      'no kustomization.yaml in shop',
    ],
    ['kstatus without a log', repo(''), gitJob({ status: FAILED }), 'Job Failed. failed: 1/1'],
    [
      'kstatus with a Stalled that is False',
      repo('', condition('Stalled', 'False', { message: 'old' })),
      gitJob({ status: FAILED }),
      'Job Failed. failed: 1/1',
    ],
    [
      'kstatus with a Stalled that is of polling',
      repo('', POLLING_FAILS, POLLING_STALLED),
      gitJob({ status: FAILED }),
      'Job Failed. failed: 1/1',
    ],
    [
      'kstatus with a Stalled that was written from it before',
      repo('', condition('Stalled', 'True', { message: 'Job Failed. failed: 3/1' })),
      gitJob({ status: FAILED }),
      'Job Failed. failed: 1/1',
    ],
    [
      'kstatus with a Stalled that is older than the job',
      repo('', { ...STALLED, lastUpdateTime: '2026-11-20T23:59:59Z' }),
      gitJob({ metadata: { creationTimestamp: '2026-11-21T00:00:00Z' }, status: FAILED }),
      'Job Failed. failed: 1/1',
    ],
    [
      'the log that was read after the job was made',
      repo('', { ...STALLED, lastUpdateTime: '2026-11-21T00:00:00Z' }),
      gitJob({ metadata: { creationTimestamp: '2026-11-21T00:00:00Z' }, status: FAILED }),
      'no kustomization.yaml in shop',
    ],
    [
      'the log where it is not known when the job was made',
      repo('', { ...STALLED, lastUpdateTime: '2026-11-21T00:00:00Z' }),
      gitJob({ metadata: { creationTimestamp: 'once' }, status: FAILED }),
      'no kustomization.yaml in shop',
    ],
    [
      'the log of which it is not known when it was read',
      repo('', { ...STALLED, lastUpdateTime: 'once' }),
      gitJob({ status: FAILED }),
      'no kustomization.yaml in shop',
    ],
    [
      "the log where only Fleet's controller knows the job",
      repo('Failed', STALLED),
      undefined,
      'no kustomization.yaml in shop',
    ],
    ['unknown without either', repo('Failed'), undefined, 'Unknown error'],
    ['none where the job is done', repo('Failed', STALLED), gitJob(), ''],
    ['none where the job is in progress', repo('InProgress', STALLED), undefined, ''],
  ])('has the error of %s', (...[, object, job, error]) => {
    expect(readGitJob(object, job, NOW_MS)?.error).toBe(error);
  });
});

/** Reconciling and Stalled, as short as they can be said. */
function short(changes: readonly ConditionChange[]): string {
  return changes
    .map(({ type, status, reason, message }) =>
      [type, status, reason, message].filter((text) => text !== undefined).join(' '),
    )
    .join('; ');
}

const MOVING = 'Reconciling True Reconciling; Stalled False';
const STEADY = 'Reconciling False; Stalled False';
const DONE: GitJob = { status: 'Current', error: '' };

describe("the progress of a GitRepo (Fleet's code)", () => {
  it.each<readonly [what: string, object: JsonObject, job: GitJob | undefined, said: string]>([
    ['job in progress', repo(''), { status: 'InProgress', error: '' }, MOVING],
    ['job done', repo(''), DONE, STEADY],
    ['job being deleted', repo(''), { status: 'Terminating', error: '' }, STEADY],
    [
      'job failed',
      repo(''),
      { status: 'Failed', error: 'boom' },
      'Reconciling False; Stalled True Stalled boom',
    ],
    [
      'polling failed',
      repo('', POLLING_FAILS),
      DONE,
      'Reconciling False; Stalled True Stalled no such host',
    ],
    [
      'polling failed, job unknown',
      repo('', POLLING_FAILS),
      undefined,
      'Reconciling False; Stalled True Stalled no such host',
    ],
    [
      'both failed: the job',
      repo('', POLLING_FAILS),
      { status: 'Failed', error: 'boom' },
      'Reconciling False; Stalled True Stalled boom',
    ],
    [
      'polling works again',
      repo('', condition('GitPolling', 'True'), POLLING_STALLED),
      undefined,
      STEADY,
    ],
    ['nothing known', repo(''), undefined, ''],
  ])('%s', (...[, object, job, said]) => {
    expect(short(gitRepoProgress(object, job))).toBe(said);
  });
});

describe("the progress of a HelmOp (Fleet's code)", () => {
  it.each<readonly [what: string, conditions: readonly JsonObject[], said: string]>([
    ['it does not poll', [condition('Accepted', 'True')], ''],
    ['polling works', [condition('Polled', 'True')], STEADY],
    [
      'polling fails',
      [condition('Polled', 'False', { message: 'no such chart' })],
      'Reconciling False; Stalled True Stalled no such chart',
    ],
    ['nobody polls', [condition('Polled', 'False')], 'Reconciling False; Stalled False'],
  ])('%s', (_what, conditions, said) => {
    expect(short(helmOpProgress(helmOp({ status: { conditions } })))).toBe(said);
  });
});

describe('the failure of a condition', () => {
  it.each<readonly [conditions: readonly JsonObject[], failure: string | undefined]>([
    [[POLLING_FAILS], 'no such host'],
    [[condition('GitPolling', 'False')], ''],
    [[condition('GitPolling', 'True', { message: 'polled' })], undefined],
    [[condition('GitPolling', 'Unknown')], undefined],
    [[], undefined],
  ])('of %j is %j', (conditions, failure) => {
    expect(failureOf(gitRepo({ status: { conditions } }), 'GitPolling')).toBe(failure);
  });
});

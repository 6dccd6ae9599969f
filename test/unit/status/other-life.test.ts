import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { WecRow, WorkloadObject } from '#shared/core/row.ts';
import { statusFoldFor } from '#shared/core/status/kinds/rules.ts';
import { ADOPT_EXISTING, createLifeCheck } from '#shared/core/status/other-life.ts';
import { unreported } from '#test/fixtures/wec-rows.ts';

const UID = '3f1f7a52-8a06-4b7e-9a53-3f0c5f1f0a01';
const EARLIER_UID = 'c2a4f0de-31b5-4a3e-8f0f-0d6d1f7b9c02';
const CREATED = '2026-03-01T10:00:30Z';
const AN_HOUR_BEFORE = '2026-03-01T09:00:30Z';

/** The spec of a migration as the API server of a cluster has it. */
function jobSpec(change: JsonObject = {}, inPod: JsonObject = {}): JsonObject {
  return {
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    completions: 1,
    parallelism: 1,
    suspend: false,
    template: {
      metadata: { labels: { 'job-name': 'migrate' } },
      spec: {
        containers: [{ name: 'migrate', image: 'registry/migrate:2', args: ['up'] }],
        restartPolicy: 'Never',
        ...inPod,
      },
    },
    ...change,
  };
}

function withImage(image: string): JsonObject {
  return jobSpec({}, { containers: [{ name: 'migrate', image, args: ['up'] }] });
}

interface Given {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: JsonObject;
  readonly spec?: JsonObject;
}

function workload(given: Given = {}): WorkloadObject {
  const { apiVersion = 'batch/v1', kind = 'Job', metadata = {}, spec = jobSpec() } = given;
  return {
    apiVersion,
    kind,
    metadata: {
      name: 'migrate',
      namespace: 'shop',
      uid: UID,
      generation: 1,
      creationTimestamp: CREATED,
      ...metadata,
    },
    spec,
  };
}

const COMPLETE: JsonObject = {
  succeeded: 1,
  startTime: '2026-03-01T10:00:31Z',
  completionTime: '2026-03-01T10:01:00Z',
  conditions: [
    { type: 'Complete', status: 'True' },
    { type: 'SuccessCriteriaMet', status: 'True' },
  ],
};

function row(more: Partial<WecRow> = {}): WecRow {
  return { wec: 'wec1', uid: 'in-wec1', generation: 1, status: COMPLETE, ...more };
}

/** Why a row does not count; its spec is given, if it is known. */
function why(object: WorkloadObject, more: Partial<WecRow>, spec?: JsonObject) {
  const specs = new Map<string, JsonValue>(spec === undefined ? [] : [['h', spec]]);
  const known = spec === undefined ? {} : { specHash: 'h' };
  return createLifeCheck(object, specs)(row({ ...known, ...more }));
}

describe('the source of an object in a WEC', () => {
  it('is another one if the transport names another UID', () => {
    expect(why(workload(), { sourceUid: EARLIER_UID })).toBe('source');
  });

  it('decides before spec and age', () => {
    const older = { created: AN_HOUR_BEFORE, sourceUid: UID };
    expect(why(workload(), older, withImage('registry/migrate:1'))).toBeUndefined();
    const younger = { created: CREATED, sourceUid: EARLIER_UID };
    expect(why(workload(), younger, jobSpec())).toBe('source');
  });

  it('does not decide if no API server has given the object of the WDS its UID', () => {
    const file = workload({ metadata: { creationTimestamp: null } });
    expect(why(file, { sourceUid: EARLIER_UID })).toBeUndefined();
    const older = { sourceUid: EARLIER_UID };
    expect(why(file, older, withImage('registry/migrate:1'))).toBe('spec');
  });
});

describe('the spec of a Job in a WEC', () => {
  it.each<[string, JsonObject]>([
    ['another image', withImage('registry/migrate:1')],
    ['other arguments', jobSpec({}, { containers: [{ name: 'migrate', args: ['down'] }] })],
    ['more containers', jobSpec({}, { containers: [{ name: 'migrate' }, { name: 'proxy' }] })],
    ['another restart policy', jobSpec({}, { restartPolicy: 'OnFailure' })],
    ['other completions', jobSpec({ completions: 2 })],
    ['another completion mode', jobSpec({ completionMode: 'Indexed' })],
  ])('is of another Job with %s, however young it is', (_name, spec) => {
    expect(why(workload(), { created: CREATED }, spec)).toBe('spec');
    expect(why(workload(), {}, spec)).toBe('spec');
  });

  it.each<[string, JsonObject]>([
    ['suspended', jobSpec({ suspend: true })],
    ['run by fewer pods', jobSpec({ parallelism: 3 })],
    [
      'given other deadlines',
      jobSpec({ activeDeadlineSeconds: 9, ttlSecondsAfterFinished: 9, backoffLimit: 0 }),
    ],
    [
      'labelled by its API server',
      jobSpec({ selector: { matchLabels: { 'controller-uid': 'x' } } }),
    ],
    [
      'placed elsewhere',
      jobSpec(
        {},
        {
          nodeSelector: { zone: 'b' },
          tolerations: [{ key: 'spot' }],
          affinity: { podAffinity: {} },
        },
      ),
    ],
    [
      'without what a transport removes',
      { template: { spec: { containers: [{ name: 'migrate' }] } } },
    ],
    ['given other resources', jobSpec({}, { containers: [{ name: 'migrate', resources: {} }] })],
  ])('is of the same Job when it is %s', (_name, spec) => {
    const asked = workload({
      spec: jobSpec(
        { activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 60 },
        {
          nodeSelector: { zone: 'a' },
          tolerations: [],
          containers: [
            { name: 'migrate', image: 'registry/migrate:2', resources: { limits: { cpu: '1' } } },
          ],
        },
      ),
    });
    expect(why(asked, {}, spec)).toBeUndefined();
  });

  it('may have other completions if they are indexed, since they grow with the parallelism', () => {
    const indexed = { completionMode: 'Indexed', completions: 3 };
    const grown = { completionMode: 'Indexed', completions: 5 };
    expect(why(workload({ spec: jobSpec(indexed) }), {}, jobSpec(grown))).toBeUndefined();
  });

  it('is undecided if there is none in the WDS, or it has no list of containers', () => {
    const { spec: _spec, ...without } = workload();
    expect(why(without as unknown as WorkloadObject, {}, jobSpec())).toBeUndefined();
    const odd = workload({ spec: { template: { spec: { containers: 'none' } } } });
    expect(why(odd, {}, { template: { spec: { containers: 'none' } } })).toBeUndefined();
    const entries = workload({ spec: { template: { spec: { containers: ['none'] } } } });
    expect(why(entries, {}, { template: { spec: { containers: [{}] } } })).toBeUndefined();
  });
});

describe('the age of an object in a WEC', () => {
  it.each([
    [AN_HOUR_BEFORE, 'age'],
    ['2026-03-01T10:00:28Z', 'age'],
    // API servers keep whole seconds, and clocks differ a little.
    ['2026-03-01T10:00:29Z', undefined],
    [CREATED, undefined],
    ['2026-03-01T11:00:00Z', undefined],
    ['yesterday', undefined],
    [undefined, undefined],
  ])('%s: %s', (created, expected) => {
    expect(why(workload(), created === undefined ? {} : { created }, jobSpec())).toBe(expected);
  });

  it('does not count if that of the object in the WDS is not known', () => {
    const file = workload({ metadata: { creationTimestamp: null } });
    expect(why(file, { created: AN_HOUR_BEFORE })).toBeUndefined();
  });
});

it('is not checked if the object in the WDS adopts existing objects', () => {
  const adopting = workload({ metadata: { annotations: { [ADOPT_EXISTING]: 'true' } } });
  const old = { created: AN_HOUR_BEFORE, sourceUid: EARLIER_UID };
  expect(why(adopting, old, withImage('registry/migrate:1'))).toBeUndefined();
  const not = workload({ metadata: { annotations: { [ADOPT_EXISTING]: 'false' } } });
  expect(why(not, old)).toBe('source');
});

describe('what an older object says', () => {
  const older = { created: AN_HOUR_BEFORE };

  it.each<[string, Given, JsonObject]>([
    ['a Job that runs', {}, { active: 1 }],
    ['a Workflow', { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow' }, { phase: 'Running' }],
    ['a Pod that has ended', { apiVersion: 'v1', kind: 'Pod' }, { phase: 'Succeeded' }],
    [
      'a Pod that has ended, of a cluster that counts its generations',
      { apiVersion: 'v1', kind: 'Pod' },
      { phase: 'Failed', observedGeneration: 1 },
    ],
    [
      'any kind with a phase',
      { apiVersion: 'example.com/v1', kind: 'Run' },
      { phase: 'Completed' },
    ],
    ['any kind with a state', { apiVersion: 'example.com/v1', kind: 'Run' }, { state: 'Failed' }],
    [
      'any kind with a condition',
      { apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob' },
      {
        conditions: [
          { type: 'Running', status: 'False' },
          { type: 'Succeeded', status: 'True' },
        ],
      },
    ],
    [
      'a failure, as Tekton says it',
      { apiVersion: 'tekton.dev/v1', kind: 'TaskRun' },
      { conditions: [{ type: 'Succeeded', status: 'False', reason: 'Failed' }] },
    ],
  ])('does not count: %s', (_name, given, status) => {
    expect(why(workload({ ...given, spec: {} }), { ...older, status })).toBe('age');
  });

  it.each<[string, Given, JsonValue | undefined]>([
    ['nothing', {}, undefined],
    ['no status', {}, 'Complete'],
    ['a Pod that runs', { apiVersion: 'v1', kind: 'Pod' }, { phase: 'Running' }],
    [
      'a kind that counts generations',
      { apiVersion: 'example.com/v1', kind: 'Run' },
      { observedGeneration: 1, phase: 'Succeeded' },
    ],
    [
      'a condition that does',
      { apiVersion: 'example.com/v1', kind: 'Run' },
      { conditions: [{ type: 'Complete', status: 'True', observedGeneration: 1 }] },
    ],
    [
      'what has not failed',
      { apiVersion: 'example.com/v1', kind: 'Run' },
      { conditions: [{ type: 'Failed', status: 'False' }, 'odd'], phase: 'Running' },
    ],
    [
      'a Succeeded that is not known',
      { apiVersion: 'tekton.dev/v1', kind: 'TaskRun' },
      { conditions: [{ type: 'Succeeded', status: 'Unknown' }] },
    ],
    [
      'what has no end',
      { apiVersion: 'apps/v1', kind: 'Deployment' },
      { conditions: [{ type: 'Available', status: 'True' }] },
    ],
  ])('counts if it reports no end: %s', (_name, given, status) => {
    const { status: _status, ...rest } = row(older);
    const said = status === undefined ? rest : { ...rest, status };
    expect(createLifeCheck(workload({ ...given, spec: {} }), new Map())(said)).toBeUndefined();
  });

  it('counts of a Workflow that says only other times and priorities, and not of one that runs something else', () => {
    const kind = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow' };
    const asked = workload({ ...kind, spec: { entrypoint: 'main', priority: 1 } });
    const said = { status: { phase: 'Succeeded' } };
    expect(why(asked, said, { entrypoint: 'main', priority: 2 })).toBeUndefined();
    expect(why(asked, said, { entrypoint: 'other', priority: 1 })).toBe('spec');
  });

  it('counts of a Pod with another image, which may be edited in place', () => {
    const pod = workload({ apiVersion: 'v1', kind: 'Pod', spec: { containers: [{ image: 'b' }] } });
    const ended = { status: { phase: 'Succeeded' } };
    expect(why(pod, ended, { containers: [{ image: 'a' }] })).toBeUndefined();
  });
});

describe('the status of a Job that was made again', () => {
  const specs = new Map<string, JsonValue>([
    ['new', jobSpec()],
    ['old', withImage('registry/migrate:1')],
  ]);
  const old = row({ specHash: 'old', created: AN_HOUR_BEFORE });
  const own = (wec: string): WecRow =>
    row({ wec, specHash: 'new', created: CREATED, sourceUid: UID });

  function statusOf(action: 'copy' | 'aggregate', ...rows: readonly WecRow[]) {
    const fold = statusFoldFor(action, workload(), specs);
    return fold.finish(
      foldRows(
        fold,
        rows.map((one) => ({ wec: one.wec, row: one })),
      ),
    );
  }

  it('is nothing while the only WEC has the Job of the release before', () => {
    expect(statusOf('copy', old)).toBeUndefined();
    expect(statusOf('copy', own('wec1'))).toEqual(COMPLETE);
  });

  /** That the criteria are met in one WEC says nothing of the other. */
  const STARTED = {
    startTime: COMPLETE['startTime'],
    conditions: [{ type: 'SuccessCriteriaMet', ...unreported('wec1') }],
  };

  it('is nothing while all WECs have it, and not Complete before the last one has run the new one', () => {
    expect(statusOf('aggregate', old, { ...old, wec: 'wec2' })).toBeUndefined();
    expect(statusOf('aggregate', old, own('wec2'))).toEqual(STARTED);
    expect(statusOf('aggregate', own('wec1'), own('wec2'))).toEqual(COMPLETE);
  });

  it('has not failed because the Job of the release before has', () => {
    const failed = {
      ...old,
      status: { failed: 1, conditions: [{ type: 'Failed', status: 'True' }] },
    };
    expect(statusOf('aggregate', failed, own('wec2'))).toEqual(STARTED);
  });
});

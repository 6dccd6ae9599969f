import { describe, expect, it } from 'vitest';
import { at, type JsonObject } from '#shared/core/json.ts';
import { collectorFiles } from './collector-examples.ts';
import {
  errorsIn,
  evaluating,
  isFor,
  partials,
  recordedKinds,
  schemaErrors,
  specErrors,
  statusErrors,
} from './partial-statuses.ts';

const FILES = collectorFiles();
const KINDS = recordedKinds();

function fileOf(name: string) {
  const file = FILES.find((one) => one.name === name);
  if (file === undefined) throw new Error(`no collector ${name}`);
  return file;
}

/** The rows of a result, as the contents of their cells. */
function cells(name: string, obj: JsonObject, statuses: readonly JsonObject[]) {
  const result = evaluating(fileOf(name))(obj, statuses);
  expect(errorsIn(result)).toEqual([]);
  return result.rows.map((row) =>
    row.map(({ type: _type, ...content }) => Object.values(content)[0]),
  );
}

describe.each(FILES)('$name', (collector) => {
  const kinds = KINDS.filter(({ kind }) => isFor(collector, kind));

  it('is tried with a kind that its comment names', () => {
    expect(kinds).not.toEqual([]);
  });

  it('gives no error if something is missing in a status', () => {
    expect(kinds.flatMap((samples) => statusErrors(collector, samples))).toEqual([]);
  });

  it('asks of obj what its kinds have', async () => {
    const errors = await Promise.all(kinds.map((samples) => schemaErrors(collector, samples)));
    expect(errors.flat()).toEqual([]);
  });

  it('gives no error if something is missing in the spec of the WDS', () => {
    expect(kinds.flatMap((samples) => specErrors(collector, samples))).toEqual([]);
  });
});

describe('not-fully-available', () => {
  it('takes a Deployment without replicas for one that wants 1', () => {
    expect(cells('not-fully-available', { spec: {} }, [{}, { availableReplicas: 1 }])).toEqual([
      ['wec1', '0'],
    ]);
  });
});

describe('statefulset-rollouts', () => {
  const updating = { currentRevision: 'a', updateRevision: 'b', replicas: 3 };
  const OnDelete = { type: 'OnDelete' };
  const partition = (number: number) => ({
    type: 'RollingUpdate',
    rollingUpdate: { partition: number },
  });
  it.each([
    ['no pod updated', undefined, 0, true],
    ['all pods updated, which are not all ready', undefined, 3, true],
    ['all pods updated, a partition of 0', partition(0), 3, true],
    ['a pod beyond the partition missing', partition(2), 0, true],
    ['all pods beyond the partition updated', partition(2), 1, false],
    ['a partition beyond all pods', partition(4), 0, false],
    ['OnDelete, and a pod that nobody has deleted', OnDelete, 2, true],
    ['OnDelete, and all pods updated', OnDelete, 3, false],
  ])('with %s', (...[, updateStrategy, updatedReplicas, isListed]) => {
    const obj = { spec: { replicas: 3, ...(updateStrategy && { updateStrategy }) } };
    const rows = cells('statefulset-rollouts', obj, [{ ...updating, updatedReplicas }]);
    expect(rows.length === 1).toBe(isListed);
  });

  it('lists none whose revisions are the same', () => {
    const status = { ...updating, currentRevision: 'b', updatedReplicas: 1 };
    expect(cells('statefulset-rollouts', { spec: { replicas: 3 } }, [status])).toEqual([]);
  });
});

describe('pod-problems', () => {
  it('says what init containers wait for, and containers that have no reason', () => {
    const status = {
      phase: 'Pending',
      initContainerStatuses: [{ name: 'i', state: { waiting: { reason: 'ErrImagePull' } } }],
      containerStatuses: [
        { name: 'a', state: { waiting: {} } },
        { name: 'b', state: { running: {} } },
        { name: 'c' },
      ],
    };
    expect(cells('pod-problems', {}, [status])).toEqual([
      ['wec1', 'Pending', ['i: ErrImagePull', 'a']],
    ]);
  });
});

describe('pod-restarts', () => {
  it('has a row for a WEC whose Pod has no containers yet', () => {
    const status = { containerStatuses: [{ restartCount: 2 }, { restartCount: 0 }] };
    expect(cells('pod-restarts', {}, [{}, status])).toEqual([
      ['wec1', []],
      ['wec2', [2, 0]],
    ]);
  });
});

describe('deployment-problems', () => {
  it('knows three types of condition, and names the type of one without a reason', () => {
    const conditions = [
      { type: 'Available', status: 'False', message: 'm' },
      { type: 'Progressing', status: 'False', reason: 'R' },
      { type: 'ReplicaFailure', status: 'True', reason: 'S', message: 'n' },
      { type: 'ReplicaFailure', status: 'False', reason: 'T' },
      { type: 'example.com/Idle', status: 'False', reason: 'U' },
    ];
    const foreign = { conditions: conditions.slice(3) };
    expect(cells('deployment-problems', {}, [{ conditions }, foreign])).toEqual([
      ['wec1', ['Available: m', 'R', 'S: n']],
    ]);
  });
});

describe('hpa-problems', () => {
  it('knows two types of condition, and names the type of one without a reason', () => {
    const conditions = [
      { type: 'AbleToScale', status: 'False', reason: 'R' },
      { type: 'ScalingActive', status: 'False' },
      { type: 'ScalingLimited', status: 'False', reason: 'S' },
      { type: 'example.com/Idle', status: 'False', reason: 'T' },
    ];
    const foreign = { conditions: conditions.slice(2) };
    expect(cells('hpa-problems', {}, [{ conditions }, foreign])).toEqual([
      ['wec1', ['R', 'ScalingActive']],
    ]);
  });
});

describe('job-failures', () => {
  it('reports the condition that is True, regardless of earlier ones', () => {
    const conditions = [
      { type: 'Failed', status: 'False', reason: 'Old', message: 'old' },
      { type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' },
    ];
    expect(cells('job-failures', {}, [{ conditions, failed: 3 }])).toEqual([
      ['wec1', 'BackoffLimitExceeded', '', '3'],
    ]);
  });
});

describe('service-addresses', () => {
  it('leaves out an entry without an address', () => {
    const ingress = [{ ports: [] }, { hostname: 'lb.example.com' }, { ip: '203.0.113.10' }];
    expect(cells('service-addresses', {}, [{ loadBalancer: { ingress } }])).toEqual([
      ['wec1', ['lb.example.com', '203.0.113.10']],
    ]);
  });
});

it('distinguishes optional and required parts of a status', () => {
  const status = { conditions: [{ type: 'A', status: 'True', reason: 'r' }], phase: 'x' };
  expect(partials(status).map(({ missing }) => missing)).toEqual([
    '.conditions',
    '.conditions[]',
    '.conditions[].reason',
    '.phase',
  ]);
  expect(at(partials(status)[2]?.value, 'phase')).toBe('x');
});

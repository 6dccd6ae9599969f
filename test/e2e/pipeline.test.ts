import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '#shared/core/json.ts';
import { apply, clusters, createNamespace, read, remove, setStatus } from './clusters.ts';
import {
  bind,
  bindingSays,
  clear,
  collect,
  combinedStatusRef,
  controlRef,
  edit,
  eventually,
  inWds,
  resultOf,
} from './controls.ts';
import { condition, minute, rolledOut } from './rollout.ts';
import { type StackChild, startStackChild } from './stack-child.ts';
import { deployment } from './workloads.ts';

const namespace = 'pipeline';
const binding = 'pipeline';
const { wds, wec1, wec2 } = clusters();
const { ref, object } = deployment({ namespace, name: 'web' });
const status = inWds(ref, 'status');
const labels = { app: 'web', 'managed-by.kubestellar.io/multiwecstatus': 'true' };
let stack: StackChild;

beforeAll(async () => {
  for (const cluster of [wds, wec1, wec2]) await createNamespace(cluster, namespace);
  stack = await startStackChild();
});
afterAll(async () => {
  await clear(wds, [controlRef('bindings', binding), ref]);
  await stack.dispose();
});

/** The Deployment in both WECs; wec2 counts two generations more than wec1 for the same spec. */
async function deliver(replicas: number): Promise<void> {
  const sized = (count: number) => ({
    ...object,
    spec: { ...Object(object['spec']), replicas: count },
  });
  await apply(wec1, ref, sized(replicas));
  await apply(wec2, ref, sized(replicas));
}

const AVAILABLE = ['True', 'MinimumReplicasAvailable'] as const;
const UNAVAILABLE = ['False', 'MinimumReplicasUnavailable'] as const;
const UPDATED = ['True', 'ReplicaSetUpdated'] as const;

describe('a Deployment on two WECs', () => {
  it('has an empty status in the WDS while those of the WECs are empty', async () => {
    await apply(wds, ref, object);
    await collect('pipeline-select', {
      select: [
        { name: 'wec', def: 'inventory.name' },
        { name: 'ready', def: 'returned.status.readyReplicas' },
      ],
    });
    await collect('pipeline-group', {
      groupBy: [{ name: 'ready', def: 'returned.status.readyReplicas == obj.spec.replicas' }],
      combinedFields: [
        { name: 'wecs', type: 'COUNT' },
        { name: 'replicas', type: 'SUM', subject: 'returned.status.readyReplicas' },
      ],
    });
    await collect('pipeline-invalid', { select: [{ name: 'bad', def: 'returned.status.(' }] });
    await deliver(3);
    await edit(wec2, ref, { spec: { replicas: 5 } });
    await edit(wec2, ref, { spec: { replicas: 3 } });
    await bind({
      name: binding,
      destinations: ['wec1', 'wec2'],
      objects: [
        [
          ref,
          {
            wantMultiWECReportedState: true,
            statusCollectors: ['pipeline-select', 'pipeline-group', 'pipeline-invalid'],
          },
        ],
      ],
    });
    await eventually(bindingSays(binding), { available: 'False', errors: undefined });
    await eventually(inWds(ref, 'metadata', 'labels'), labels);
    expect(await status()).toEqual({});
  });

  it('has the lowest counts, the worst conditions and the newest reasons while it rolls out', async () => {
    await setStatus(wec1, ref, {
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 1,
      availableReplicas: 1,
      unavailableReplicas: 2,
      conditions: [
        condition('Available', UNAVAILABLE, minute(2)),
        condition('Progressing', UPDATED, minute(1)),
      ],
    });
    await setStatus(wec2, ref, {
      observedGeneration: 3,
      replicas: 3,
      updatedReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      unavailableReplicas: 1,
      conditions: [
        condition('Available', AVAILABLE, minute(1)),
        condition('Progressing', UPDATED, minute(3)),
      ],
    });
    await eventually(status, {
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 2,
      readyReplicas: 1,
      availableReplicas: 1,
      unavailableReplicas: 1,
      conditions: [
        condition('Available', UNAVAILABLE, minute(2)),
        condition('Progressing', UPDATED, minute(3)),
      ],
    });
    expect(await inWds(ref, 'metadata', 'labels')()).toEqual(labels);
  });

  it('has a CombinedStatus with name, labels, owner and the results of the valid collectors', async () => {
    const slot = await combinedStatusRef(ref, binding);
    const uid = at(await read(wds, ref), 'metadata', 'uid');
    const text = (string: string) => ({ type: 'String', string });
    const number = (float: string) => ({ type: 'Number', float });
    const results = [
      {
        name: 'pipeline-group',
        columnNames: ['ready', 'wecs', 'replicas'],
        rows: [{ columns: [{ type: 'Bool', bool: false }, number('2'), number('3')] }],
      },
      {
        name: 'pipeline-select',
        columnNames: ['wec', 'ready'],
        rows: [{ columns: [text('wec1'), number('1')] }, { columns: [text('wec2'), number('2')] }],
      },
    ];
    await eventually(inWds(slot, 'results'), results);
    const stored = await read(wds, slot);
    expect(at(stored, 'metadata', 'labels')).toEqual({
      'status.kubestellar.io/api-group': 'apps',
      'status.kubestellar.io/resource': 'deployments',
      'status.kubestellar.io/namespace': namespace,
      'status.kubestellar.io/name': 'web',
      'status.kubestellar.io/binding-policy': binding,
    });
    expect(at(stored, 'metadata', 'ownerReferences')).toEqual([
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid },
    ]);
  });

  it('tells in StatusCollectors which generation was looked at and what is wrong with it', async () => {
    const says = (name: string) => inWds(controlRef('statuscollectors', name), 'status');
    await eventually(says('pipeline-select'), { observedGeneration: 1 });
    await eventually(says('pipeline-invalid'), {
      observedGeneration: 1,
      errors: [expect.stringContaining('spec.select[0].def, line 1, column ')],
    });
    await collect('pipeline-invalid', {
      select: [{ name: 'repaired', def: 'returned.status.replicas' }],
    });
    await eventually(says('pipeline-invalid'), { observedGeneration: 2 });
    await eventually(bindingSays(binding), { available: 'True', errors: undefined });
    const slot = await combinedStatusRef(ref, binding);
    const three = { columns: [{ type: 'Number', float: '3' }] };
    await eventually(resultOf(slot, 'pipeline-invalid'), {
      name: 'pipeline-invalid',
      columnNames: ['repaired'],
      rows: [three, three],
    });
  });

  it('is rolled out when both WECs are', async () => {
    await setStatus(wec1, ref, rolledOut(1, 3, minute(4)));
    await setStatus(wec2, ref, rolledOut(3, 3, minute(5)));
    await eventually(status, rolledOut(1, 3, minute(5)));
  });

  it('counts generations as the WDS does: a WEC that has not seen the newest is behind', async () => {
    await edit(wds, ref, { spec: { replicas: 4 } });
    await deliver(4);
    await setStatus(wec1, ref, rolledOut(2, 4, minute(6)));
    // wec2 has still observed its third generation, of three replicas; the WDS has its second.
    await eventually(status, rolledOut(1, 3, minute(6)));
    await setStatus(wec2, ref, rolledOut(4, 4, minute(7)));
    await eventually(status, rolledOut(2, 4, minute(7)));
  });

  it('tells of a passed deadline of one WEC, although another one has newer news', async () => {
    const exceeded = ['False', 'ProgressDeadlineExceeded'] as const;
    await setStatus(wec1, ref, {
      observedGeneration: 2,
      replicas: 4,
      updatedReplicas: 4,
      readyReplicas: 3,
      availableReplicas: 3,
      unavailableReplicas: 1,
      conditions: [
        condition('Available', AVAILABLE, minute(6)),
        condition('Progressing', exceeded, minute(6)),
      ],
    });
    await eventually(status, {
      observedGeneration: 2,
      replicas: 4,
      updatedReplicas: 4,
      readyReplicas: 3,
      availableReplicas: 3,
      conditions: [
        condition('Available', AVAILABLE, minute(7)),
        {
          ...condition('Progressing', exceeded, minute(6)),
          lastUpdateTime: minute(7),
          lastTransitionTime: minute(7),
        },
      ],
    });
  });
});

describe('an object that a WEC loses', () => {
  it('counts as missing: nothing is ready there, and the WEC has an empty row', async () => {
    await setStatus(wec1, ref, rolledOut(2, 4, minute(8)));
    await eventually(status, rolledOut(2, 4, minute(8)));
    await remove(wec2, ref);
    const notReported = {
      status: 'Unknown',
      reason: 'NotReportedByAllWECs',
      message: 'No report of this condition from 1 of 2 WECs: wec2',
    };
    await eventually(status, {
      observedGeneration: 1,
      conditions: [
        { ...condition('Available', AVAILABLE, minute(8)), ...notReported },
        {
          ...condition('Progressing', ['True', 'NewReplicaSetAvailable'], minute(8)),
          ...notReported,
        },
      ],
    });
  });

  it('counts again once it is back', async () => {
    await deliver(4);
    await setStatus(wec2, ref, rolledOut(1, 4, minute(9)));
    await eventually(status, rolledOut(2, 4, minute(9)));
  });
});

import { beforeEach, expect, it } from 'vitest';
import { noField } from '#shared/core/expression/messages.ts';
import { at, type JsonValue } from '#shared/core/json.ts';
import type { DirtyMessage } from '#shared/messages/dirty.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { RANGE, SORT } from '#shared/state/keys.ts';
import { interrupted, Pipeline } from './pipeline.ts';

const CONTROL = { group: 'control.kubestellar.io', version: 'v1alpha1', namespace: '' };
const BINDING: ObjectRef = { ...CONTROL, resource: 'bindings', name: 'b' };
const DEFINITION: ObjectRef = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  namespace: '',
  name: 'things.example.org',
};

let pipeline: Pipeline;

/** A definition of things whose spec has one field. */
function define(field: string): Promise<void> {
  const spec = { type: 'object', properties: { [field]: { type: 'string' } } };
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  return pipeline.apply(DEFINITION, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: DEFINITION.name },
    spec: {
      group: 'example.org',
      names: { kind: 'Thing', plural: 'things' },
      versions: [{ name: 'v1', schema: { openAPIV3Schema } }],
    },
  });
}

async function bind(): Promise<void> {
  const thing = { group: 'example.org', version: 'v1', resource: 'things', name: 'one' };
  await pipeline.apply(BINDING, {
    kind: 'Binding',
    metadata: { name: 'b' },
    spec: { workload: { clusterScope: [{ ...thing, statusCollectors: ['s'] }] } },
  });
}

async function errors(): Promise<JsonValue | undefined> {
  return at(await pipeline.wds.api.get(BINDING), 'status', 'errors');
}

function isFor(type: 'binding' | 'workload') {
  return (message: DirtyMessage): boolean =>
    message.type === 'subject' && message.subject.type === type;
}

beforeEach(async () => {
  pipeline = new Pipeline();
  await pipeline.apply(
    { ...CONTROL, resource: 'statuscollectors', name: 's' },
    {
      kind: 'StatusCollector',
      metadata: { name: 's' },
      spec: { select: [{ name: 'x', def: 'obj.spec.size' }] },
    },
  );
  await define('size');
  await pipeline.settle();
});

it('a definition that changes while a Binding that has read it is slow is checked again', async () => {
  await bind();
  const [message] = pipeline.takeDirty().filter(isFor('binding'));
  if (message === undefined) throw new Error('the Binding is not dirty');
  const moment = { call: 'get', sk: SORT.object, when: 'after' } as const;
  const later: DirtyMessage[] = [];
  const slow = interrupted(pipeline.store, moment, async () => {
    await define('colour');
    for (const other of pipeline.takeDirty()) {
      await pipeline.aggregate(other);
      later.push(...pipeline.takeDirty());
    }
  });
  await pipeline.aggregate(message, slow);
  await pipeline.settle();
  expect(await errors()).toBeUndefined();
  for (const other of later) await pipeline.aggregate(other);
  await pipeline.settle();
  expect(await errors()).toEqual([expect.stringContaining(`Thing ${noField('spec.size')}`)]);
});

it('a definition whose aggregation dies before it has notified the Bindings notifies them the next time', async () => {
  await bind();
  await pipeline.settle();
  await define('colour');
  const [message] = pipeline.takeDirty().filter(isFor('workload'));
  if (message === undefined) throw new Error('the definition is not dirty');
  const dying: ItemStore = {
    ...pipeline.store,
    query: (query) =>
      query.from?.startsWith(RANGE.schema)
        ? Promise.reject(new Error('killed'))
        : pipeline.store.query(query),
  };
  await expect(pipeline.aggregate(message, dying)).rejects.toThrow('killed');
  await pipeline.settle();
  expect(await errors()).toBeUndefined();
  await pipeline.aggregate(message);
  await pipeline.settle();
  expect(await errors()).toEqual([expect.stringContaining(`Thing ${noField('spec.size')}`)]);
});

import { beforeEach, describe, expect, it } from 'vitest';
import { noField } from '#shared/core/expression/messages.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { Pipeline, storedBelow } from '#test/fakes/pipeline.ts';
import {
  applyThing,
  binding,
  combinedStatuses,
  control,
  returned,
  shown,
  thing,
  workloadOf,
} from '#test/unit/write-results/pipeline-objects.ts';

const ALL = control('bindings', 'all');
const POLICY = control('bindingpolicies', 'all');
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const WEB: ObjectRef = { ...DEPLOYMENTS, namespace: 'shop', name: 'web' };
const SET: ObjectRef = { ...WEB, resource: 'statefulsets' };
const THING = thing('one');
const DEFINITION: ObjectRef = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  namespace: '',
  name: 'things.example.org',
};

let pipeline: Pipeline;
beforeEach(() => {
  pipeline = new Pipeline();
  pipeline.snapshot();
});

/** A valid collector that selects these expressions. */
function collect(name: string, ...defs: readonly string[]): void {
  const select = defs.map((def, index) => ({ name: `c${index}`, def }));
  pipeline.wds.apply(control('statuscollectors', name), {
    kind: 'StatusCollector',
    metadata: {},
    spec: { select },
  });
}

function bind(objects: readonly ObjectRef[], statusCollectors: readonly string[]): void {
  pipeline.wds.apply(ALL, binding(['wec1'], objects, { statusCollectors }));
}

/** A CustomResourceDefinition of things whose spec has these fields. */
function define(properties: JsonObject, labels: JsonObject = {}): void {
  const openAPIV3Schema = {
    type: 'object',
    properties: { spec: { type: 'object', properties } },
  };
  pipeline.wds.apply(DEFINITION, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: DEFINITION.name, labels },
    spec: {
      group: 'example.org',
      names: { kind: 'Thing', plural: 'things' },
      versions: [{ name: 'v1', schema: { openAPIV3Schema } }],
    },
    status: { acceptedNames: { plural: 'things' } },
  });
}

function errors(ref = ALL): Promise<JsonValue | undefined> {
  return shown(pipeline, ref, 'status', 'errors');
}

describe('a collector that asks for what its workload objects cannot have', () => {
  const REPLICA = `starfold: StatusCollector r, spec.select[0].def, line 1, column 10: Deployment ${noField('spec.replica', 'spec.replicas')}`;

  it('is an error of Binding and BindingPolicy, and its result is computed', async () => {
    pipeline.wds.apply(WEB, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { replicas: 3 },
    });
    const metadata = { name: 'all' };
    pipeline.wds.apply(POLICY, { kind: 'BindingPolicy', metadata, spec: { downsync: [] } });
    collect('r', 'obj.spec.replica', 'inventory.name');
    bind([WEB], ['r']);
    pipeline.tell('wec1', workloadOf(WEB), returned({ readyReplicas: 3 }));
    await pipeline.settle();
    expect(await errors()).toContain(REPLICA);
    expect(await errors(POLICY)).toContain(REPLICA);
    expect(combinedStatuses(pipeline)).toMatchObject([
      {
        results: [
          {
            name: 'r',
            rows: [{ columns: [{ type: 'Null' }, { type: 'String', string: 'wec1' }] }],
          },
        ],
      },
    ]);
    expect(pipeline.failures).toEqual([]);
  });

  it('is reported once for all objects of a kind, and for each kind', async () => {
    collect('r', 'obj.spec.replica');
    bind([WEB, { ...WEB, name: 'web2' }, SET], ['r']);
    await pipeline.settle();
    expect(await errors()).toEqual([REPLICA, REPLICA.replace('Deployment', 'StatefulSet')]);
  });

  it('is no longer an error when it is corrected, and never one of a subject that does not use it', async () => {
    collect('r', 'obj.spec.replica');
    collect('other', 'obj.spec.replicas');
    bind([WEB], ['r']);
    await pipeline.settle();
    collect('r', 'obj.spec.replicas');
    await pipeline.settle();
    expect(await errors()).toBeUndefined();
    collect('r', 'obj.spec.replica');
    await pipeline.settle();
    bind([WEB], ['other']);
    await pipeline.settle();
    expect(await errors()).toBeUndefined();
  });
});

describe('a custom resource', () => {
  const KNOWN = (type: string): string =>
    `starfold: StatusCollector s, spec.select[0].def, line 1, column 10: ${type} ${noField('spec.size')}`;

  beforeEach(() => {
    applyThing(pipeline, THING);
    collect('s', 'obj.spec.size');
  });

  it('is checked when its definition comes, and whenever that changes or goes', async () => {
    bind([THING], ['s']);
    await pipeline.settle();
    expect(await errors()).toBeUndefined();
    define({ colour: { type: 'string' } });
    await pipeline.settle();
    expect(await errors()).toEqual([KNOWN('Thing')]);
    define({ colour: { type: 'string' }, sizes: { type: 'integer' } });
    await pipeline.settle();
    expect(await errors()).toEqual([`${KNOWN('Thing')}; did you mean spec.sizes?`]);
    define({ size: { type: 'integer' } });
    await pipeline.settle();
    expect(await errors()).toBeUndefined();
    define({ colour: { type: 'string' } });
    await pipeline.settle();
    pipeline.wds.remove(DEFINITION);
    await pipeline.settle();
    expect(await errors()).toBeUndefined();
    expect(pipeline.failures).toEqual([]);
  });

  it('is checked against a definition that was there before', async () => {
    define({ colour: { type: 'string' } });
    await pipeline.settle();
    bind([THING], ['s']);
    await pipeline.settle();
    expect(await errors()).toEqual([KNOWN('Thing')]);
  });

  it('has no status, also when nothing defines it', async () => {
    collect('s', 'obj.status.size');
    bind([THING], ['s']);
    await pipeline.settle();
    expect(await errors()).toEqual([
      'starfold: StatusCollector s, spec.select[0].def, line 1, column 5: things.example.org has no status in expressions: use returned.status',
    ]);
  });

  it('leaves no entry at the definition when no collector asks for obj or returned', async () => {
    collect('s', 'inventory.name');
    bind([THING], ['s']);
    await pipeline.settle();
    expect(await storedBelow(pipeline.store, workloadOf(DEFINITION), 'SCHEMA#')).toBe(0);
    collect('s', 'obj.spec.size');
    await pipeline.settle();
    expect(await storedBelow(pipeline.store, workloadOf(DEFINITION), 'SCHEMA#')).toBe(1);
  });

  it('does not make Starfold write to its definition, named by a Binding or not', async () => {
    const labels = { 'kubestellar.io/executing-count': '1' };
    define({ colour: { type: 'string' } }, labels);
    bind([THING], ['s']);
    await pipeline.settle();
    define({ size: { type: 'string' } }, labels);
    await pipeline.settle();
    bind([THING, DEFINITION], ['s']);
    await pipeline.settle();
    bind([THING], ['s']);
    await pipeline.settle();
    pipeline.relist();
    await pipeline.settle();
    expect(pipeline.writes.filter((write) => write.includes('customresource'))).toEqual([]);
    expect(await shown(pipeline, DEFINITION, 'metadata', 'labels')).toEqual(labels);
    expect(await shown(pipeline, DEFINITION, 'status')).toEqual({
      acceptedNames: { plural: 'things' },
    });
  });
});

import { expect, it } from 'vitest';
import { MAX_NESTING } from '#shared/core/bounded-depth.ts';
import { at, isArray, type JsonValue } from '#shared/core/json.ts';
import { decodeBatch, encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { MULTI, Pipeline, WDS, WEB } from '#test/unit/protocol/pipeline.ts';

const WIDGET: ObjectRef = { ...WEB, group: 'example.com', resource: 'widgets' };
const BINDING: ObjectRef = {
  group: 'control.kubestellar.io',
  version: 'v1alpha1',
  resource: 'bindings',
  namespace: '',
  name: 'widgets',
};

function nested(levels: number): JsonValue {
  let value: JsonValue = 'leaf';
  for (let level = 0; level < levels; level += 1) value = { inner: value };
  return value;
}

/** What a WEC says of an object: in the form in which the queue has it, as far as it can be read. */
async function hear(
  pipeline: Pipeline,
  wec: string,
  said: { readonly of: ObjectRef; readonly status: JsonValue },
): Promise<readonly string[]> {
  const { group, resource, namespace, name } = said.of;
  const event = pipeline.event(
    { type: 'wec', name: wec },
    {
      type: 'wec-object',
      wds: WDS,
      subject: { group, resource, namespace, name },
      first: true,
      returned: { uid: `${wec}-${name}`, generation: 1, status: said.status },
    },
  );
  const { events, errors } = decodeBatch(encodeBatch([encodeEvent(event)]));
  await pipeline.record(...events);
  return errors.map(({ message }) => message);
}

async function statusOf(pipeline: Pipeline, ref: ObjectRef): Promise<JsonValue | undefined> {
  const object = await pipeline.wds.api.get(ref);
  return object === undefined ? undefined : at(object, 'status');
}

/** What the Binding's status says of the object. */
async function reportedErrors(pipeline: Pipeline): Promise<readonly string[]> {
  const errors = await statusOf(pipeline, { ...BINDING, name: 'b' });
  const told = errors === undefined ? undefined : at(errors, 'errors');
  return isArray(told) ? told.map(String) : [];
}

it('a status of 500 levels is recorded, aggregated and written', async () => {
  const pipeline = new Pipeline();
  await pipeline.apply(WIDGET, {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: WIDGET.name, namespace: WIDGET.namespace },
    spec: nested(MAX_NESTING),
  });
  await pipeline.apply(BINDING, {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'Binding',
    metadata: { name: BINDING.name },
    spec: {
      destinations: [{ clusterId: 'wec1' }, { clusterId: 'wec2' }],
      workload: { namespaceScope: [{ ...WIDGET, resourceVersion: '1', ...MULTI }] },
    },
  });
  const status = nested(MAX_NESTING);
  for (const wec of ['wec1', 'wec2'])
    expect(await hear(pipeline, wec, { of: WIDGET, status })).toEqual([]);
  await pipeline.settle();
  expect(await statusOf(pipeline, WIDGET)).toEqual(status);
});

it('a status of 501 levels is not kept, and what other WECs say of the object still arrives', async () => {
  const pipeline = new Pipeline();
  await pipeline.begin(['wec1', 'wec2']);
  await pipeline.record(pipeline.said('wec1', 4));
  const status = nested(MAX_NESTING + 1);
  expect(await hear(pipeline, 'wec1', { of: WEB, status })).toEqual([]);
  await pipeline.record(pipeline.said('wec2', 3));
  await pipeline.settle();
  const [errors] = await reportedErrors(pipeline);
  expect(errors).toContain('WEC wec1 returned 5016 bytes');
  expect(errors).toContain('bytes, too large to keep');
  await pipeline.bind(['wec2']);
  await pipeline.settle();
  expect(await pipeline.ready()).toBe(3);
  expect(await reportedErrors(pipeline)).toEqual([]);
});

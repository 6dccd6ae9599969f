import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ObjectStore } from '#local/simulated-cluster/object-store.ts';
import type { ObjectEvent } from '#local/simulated-cluster/stored-object.ts';

const KEY = 'configmaps';

function configMap(name: string, value: string, namespace = 'default') {
  return { metadata: { name, namespace }, data: { value } };
}

function shown(store: ObjectStore, version: number): readonly string[] | undefined {
  return store.listAt(KEY, version)?.map(({ text }) => text);
}

it('numbers changes and tells them in order', () => {
  const store = new ObjectStore(10);
  const told: ObjectEvent[] = [];
  const unsubscribe = store.subscribe(KEY, (event) => told.push(event));
  store.put(KEY, configMap('a', '1'));
  store.put(KEY, configMap('a', '2'));
  store.remove(KEY, { namespace: 'default', name: 'a' });
  unsubscribe();
  store.put(KEY, configMap('a', '3'));
  expect(told.map(({ type, version }) => `${type} ${version}`)).toEqual([
    'ADDED 2',
    'MODIFIED 3',
    'DELETED 4',
  ]);
  expect(told[2]?.current.object).toEqual({
    metadata: { name: 'a', namespace: 'default', resourceVersion: '4' },
    data: { value: '2' },
  });
});

it('forgets the oldest changes of a resource, and says so', () => {
  const store = new ObjectStore(2);
  const versions = ['1', '2', '3', '4'].map(
    (value) => store.put(KEY, configMap('a', value)).version,
  );
  expect(versions).toEqual([2, 3, 4, 5]);
  expect(store.eventsAfter(KEY, 2)).toBeUndefined();
  expect(store.eventsAfter(KEY, 3)?.map(({ version }) => version)).toEqual([4, 5]);
  expect(store.eventsAfter('secrets', 1)).toEqual([]);
  store.forgetHistory();
  expect(store.eventsAfter(KEY, 5)).toBeUndefined();
  expect(store.eventsAfter(KEY, store.version)).toEqual([]);
});

it('writes each object with its keys in order, whatever parts it shares with earlier versions', () => {
  const store = new ObjectStore(2);
  const spec = { z: 1, a: 12345678901234567890n };
  const first = store.put(KEY, { spec, kind: 'X', metadata: { namespace: '', name: 'a' } });
  const second = store.put(KEY, { status: {}, ...first.object });
  expect(second.text).toBe(
    '{"kind":"X","metadata":{"name":"a","namespace":"","resourceVersion":"3"},"spec":{"a":12345678901234567890,"z":1},"status":{}}',
  );
  expect(second.untypedText).toBe(second.text.replace('"kind":"X",', ''));
});

const step = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  namespace: fc.constantFrom('x', 'y'),
  removes: fc.boolean(),
});

it('shows the list of any version that its history reaches, exactly as it was', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 30 }),
      fc.integer({ min: 1, max: 30 }),
      (steps, size) => {
        const store = new ObjectStore(size);
        const lists = new Map([[store.version, shown(store, store.version)]]);
        for (const [index, { name, namespace, removes }] of steps.entries()) {
          if (removes) store.remove(KEY, { namespace, name });
          else store.put(KEY, configMap(name, String(index), namespace));
          lists.set(
            store.version,
            store.list(KEY).map(({ text }) => text),
          );
        }
        const changes = store.version - 1;
        for (const [version, list] of lists) {
          const reached = version - 1 >= changes - size;
          expect(shown(store, version)).toEqual(reached ? list : undefined);
        }
      },
    ),
  );
});

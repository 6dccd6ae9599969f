import { expect, test } from 'vitest';
import { NO_ERRORS, severalErrors } from '#local/start/messages.ts';
import { Monitor } from '#local/start/monitor.ts';
import { type ClusterObjects, CONTROL } from '#local/start/observation.ts';
import type { JsonObject } from '#shared/core/json.ts';

function world() {
  const stored = new Map<string, JsonObject>();
  const clusters: ClusterObjects = {
    wds: 'hub',
    wecs: ['wec1'],
    sight: () => ({ state: 'seen' }),
    objects: (_cluster, { resource }) =>
      resource === CONTROL.combinedStatuses.resource ? new Map() : stored,
  };
  const monitor = new Monitor(() => 0);
  const resource = CONTROL.bindings;
  const change = (more = {}) =>
    monitor.objectErrors(clusters, { cluster: 'hub', resource, key: '/web', ...more });
  const problems = () => monitor.view(clusters, { title: '', progress: '', hints: [] }).problems;
  const put = (errors: readonly string[]): void => {
    stored.set('/web', { metadata: { name: 'web' }, status: { errors } });
  };
  return { change, problems, put, stored };
}

test('the errors of a Binding are told once, and again if they change or end', () => {
  const { change, problems, put, stored } = world();
  put([]);
  expect(change()).toBeUndefined();
  put(['a']);
  const cluster = 'hub Binding web';
  expect(change()).toEqual({ cluster, problem: 'a' });
  expect(change()).toBeUndefined();
  put(['b', 'c']);
  const problem = severalErrors('b', 2, 'bindings.control.kubestellar.io web');
  expect(problem).toBe('b (2 errors: kubectl get bindings.control.kubestellar.io web -o yaml)');
  expect(change()).toEqual({ cluster, problem });
  expect(problems()).toEqual([{ cluster, problem }]);
  stored.delete('/web');
  expect(change()).toEqual({ cluster, problem: NO_ERRORS });
  expect(problems()).toEqual([]);
});

test('the errors of a StatusCollector are told, and what a WEC has under the same name is not', () => {
  const { change, put } = world();
  put(['a']);
  const problem = 'a';
  expect(change({ resource: CONTROL.collectors })).toEqual({
    cluster: 'hub StatusCollector web',
    problem,
  });
  expect(change({ cluster: 'wec1' })).toBeUndefined();
  expect(change({ resource: CONTROL.combinedStatuses })).toBeUndefined();
  expect(change({ resource: { ...CONTROL.bindings, group: '' } })).toBeUndefined();
});

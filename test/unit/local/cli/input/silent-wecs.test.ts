import { describe, expect, it } from 'vitest';
import {
  allReporting,
  neverReportedWec,
  notReporting,
  silentSince,
} from '#shared/core/binding/messages.ts';
import { at, isArray, type JsonObject, member } from '#shared/core/json.ts';
import { file, find, starfold } from '#test/unit/local/cli/command.ts';

const NOW = '2026-11-21T12:00:00Z';
const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'shop' } };

/** A WEC of the inventory; `minutes`: since when it is not available, null: an invalid time. */
function cluster(name: string, minutes?: number | null): JsonObject {
  const since = new Date(Date.parse(NOW) - (minutes ?? 0) * 60_000).toISOString();
  const condition = {
    type: 'ManagedClusterConditionAvailable',
    status: minutes === undefined ? 'True' : 'Unknown',
    lastTransitionTime: minutes === null ? 'yesterday' : since,
  };
  return {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name },
    status: { conditions: [condition] },
  };
}

function binding(annotations: JsonObject, wecs: readonly string[]): JsonObject {
  return {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'Binding',
    metadata: { name: 'all', uid: 'u-all', annotations },
    spec: { destinations: wecs.map((clusterId) => ({ clusterId })), workload: {} },
  };
}

interface Given {
  readonly wecs: readonly string[];
  readonly clusters?: readonly JsonObject[];
  readonly annotations?: JsonObject;
}

/** The condition of a Binding, where only edge1 has given an object. */
function reporting({ wecs, clusters = [], annotations = {} }: Given): unknown {
  const list = { apiVersion: 'v1', kind: 'List', items: [...clusters, binding(annotations, wecs)] };
  const edge1 = file('edge1.json', JSON.stringify(CONFIG));
  const args = ['eval', '-f', '-', '-o', 'json', '--now', NOW, '--wec', `edge1=${edge1}`];
  const { out } = starfold(args, JSON.stringify(list));
  const conditions = at(find(out, 'Binding', 'all') ?? {}, 'status', 'conditions');
  return isArray(conditions)
    ? conditions.find((one) => member(one, 'type') === 'WECsReporting')
    : undefined;
}

describe('the condition WECsReporting that starfold eval prints', () => {
  it('is True if an object of each WEC is given, or its ManagedCluster is available', () => {
    expect(reporting({ wecs: ['edge1', 'edge2'], clusters: [cluster('edge2')] })).toEqual({
      type: 'WECsReporting',
      status: 'True',
      lastTransitionTime: NOW,
      reason: 'AllReporting',
      message: allReporting(2),
      observedGeneration: 0,
    });
  });

  it('names what is silent, since when, and what has never reported', () => {
    const clusters = [cluster('edge1', 10), cluster('edge2', null), cluster('edge4', 4)];
    const wecs = ['edge1', 'edge2', 'edge3', 'edge4'];
    expect(reporting({ wecs, clusters })).toMatchObject({
      status: 'False',
      reason: 'WECsSilent',
      message: notReporting(
        3,
        4,
        `${silentSince('edge2')}, ${silentSince('edge1', '2026-11-21T11:50:00Z')}, ${neverReportedWec('edge3')}`,
      ),
    });
  });

  it('goes by the time of the Binding if that is shorter', () => {
    const clusters = [cluster('edge1', 4)];
    const annotations = { 'starfold.dev/silent-after': '3m' };
    expect(reporting({ wecs: ['edge1'], clusters })).toMatchObject({ status: 'True' });
    expect(reporting({ wecs: ['edge1'], clusters, annotations })).toMatchObject({
      status: 'False',
      reason: 'WECsSilent',
    });
  });
});

it('propagation.silent is true in starfold eval for a WEC whose report does not count', () => {
  const silent = (annotations: JsonObject): unknown => {
    const metadata = { name: 'c', namespace: 'shop', uid: 'u-c', annotations };
    const bound = { version: 'v1', resource: 'configmaps', namespace: 'shop', name: 'c' };
    const namespaceScope = [{ ...bound, statusCollectors: ['silent'] }];
    const collector = {
      apiVersion: 'control.kubestellar.io/v1alpha1',
      kind: 'StatusCollector',
      metadata: { name: 'silent' },
      spec: { select: [{ name: 'silent', def: 'propagation.silent' }], limit: 5 },
    };
    const spec = { destinations: [{ clusterId: 'edge1' }], workload: { namespaceScope } };
    const items = [
      { ...CONFIG, metadata },
      { ...binding({}, []), spec },
      collector,
      cluster('edge1', 3),
    ];
    const edge1 = file('edge1.json', JSON.stringify(CONFIG));
    const args = ['eval', '-f', '-', '-o', 'json', '--now', NOW, '--wec', `edge1=${edge1}`];
    const { out } = starfold(args, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    return /"bool": (true|false)/.exec(out)?.[1];
  };
  expect(silent({})).toBe('false');
  expect(silent({ 'starfold.dev/silent-after': '2m' })).toBe('true');
});

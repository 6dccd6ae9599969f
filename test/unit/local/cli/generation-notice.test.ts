import { describe, expect, it } from 'vitest';
import { NO_GENERATION } from '#local/cli/input/messages.ts';
import { at } from '#shared/core/json.ts';
import { file, find, starfold } from './command.ts';

const NOTICE = `DaemonSet shop/web: ${NO_GENERATION}`;

function wds(metadata: string, flag: string): string {
  return `
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: web, namespace: shop, uid: u1${metadata} }
spec: { updateStrategy: { type: RollingUpdate } }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings, namespace: shop, uid: u3 }
---
apiVersion: control.kubestellar.io/v1alpha1
kind: Binding
metadata: { name: shop, uid: u2 }
spec:
  destinations: [{ clusterId: wec1 }, { clusterId: wec2 }]
  workload:
    namespaceScope:
      - { group: apps, version: v1, resource: daemonsets, namespace: shop, name: web, ${flag}: true }
      - { group: "", version: v1, resource: configmaps, namespace: shop, name: settings, ${flag}: true }
`;
}

const DONE = `
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: web, namespace: shop, generation: 1 }
spec: { updateStrategy: { type: RollingUpdate } }
status:
  observedGeneration: 1
  currentNumberScheduled: 2
  numberMisscheduled: 0
  desiredNumberScheduled: 2
  numberReady: 2
  updatedNumberScheduled: 2
  numberAvailable: 2
`;

function run(metadata: string, flag = 'wantMultiWECReportedState') {
  const wec1 = `wec1=${file('wec1.yaml', DONE)}`;
  return starfold(['eval', '-f', '-', '--wec', wec1, '-o', 'json'], wds(metadata, flag));
}

describe('a DaemonSet that is given without metadata.generation', () => {
  it('is reported once if it is aggregated, and nothing else is', () => {
    const { code, err } = run('');
    expect(code).toBe(0);
    expect(err.split(NO_GENERATION)).toHaveLength(2);
    expect(err).toContain(NOTICE);
  });

  it('is not reported if it has one: then the WEC that has returned nothing shows', () => {
    const { err, out } = run(', generation: 3');
    expect(err).not.toContain('metadata.generation');
    const shown = find(out, 'DaemonSet', 'web');
    expect(at(shown, 'status', 'observedGeneration')).toBe(2);
    expect(at(shown, 'status', 'desiredNumberScheduled')).toBe(0);
  });

  it('is not reported if nothing is aggregated', () => {
    expect(run('', 'wantSingletonReportedState').err).not.toContain('metadata.generation');
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { documentIn, STANDARD_INPUT } from '#local/cli/input/document-messages.ts';
import { givenTwice, outdatedVersion } from '#local/cli/input/messages.ts';
import { outdatedCollection } from '#shared/core/binding/messages.ts';
import { at } from '#shared/core/json.ts';
import { ALL, find, fixture, items, starfold } from './command.ts';

const CURRENT = 'control.kubestellar.io/v1alpha1';
const OUTDATED = 'policies.kubestellar.io/v1alpha1';
const WDS = readFileSync(fixture('wds.yaml'), 'utf8');

function run(wds: string) {
  return starfold(['eval', '-f', '-', ...ALL.slice(2), '-o', 'json'], wds);
}

describe('starfold eval, of objects in the outdated group', () => {
  const given = run(WDS.replaceAll(`apiVersion: ${CURRENT}`, `apiVersion: ${OUTDATED}`));

  it('gives the same as of those in the current group', () => {
    expect(given).toMatchObject({ code: 0, out: run(WDS).out });
    expect(find(given.out, 'Binding', 'shop')).toMatchObject({ apiVersion: CURRENT });
  });

  it.each(['Binding shop', 'BindingPolicy shop', 'StatusCollector totals', 'CombinedStatus shop/'])(
    'says of %s what the current group is',
    (title) => {
      const line = given.err.split('\n').find((one) => one.includes(`, ${title}`));
      expect(line).toContain(`: ${outdatedVersion(OUTDATED, CURRENT)}`);
    },
  );

  it('takes two spellings of one object for one object given twice', () => {
    const collector = (apiVersion: string) =>
      `apiVersion: ${apiVersion}\nkind: StatusCollector\nmetadata: {name: c}\n`;
    const { code, err } = run(`${collector(CURRENT)}---\n${collector(OUTDATED)}`);
    expect(code).toBe(1);
    expect(err).toContain(`StatusCollector c ${givenTwice(documentIn(STANDARD_INPUT, 1))}`);
  });

  it('leaves other kinds of that group alone', () => {
    const other = `apiVersion: ${OUTDATED}\nkind: Other\nmetadata: {name: o}\n`;
    const { out, err } = run(other);
    expect(find(out, 'Other', 'o')).toMatchObject({ apiVersion: OUTDATED });
    expect(err).not.toContain(OUTDATED);
  });
});

describe('starfold eval, of a Binding with a nested statusCollection', () => {
  const binding = (collectors: string) => `
apiVersion: v1
kind: ConfigMap
metadata: { name: web, namespace: shop, uid: u1 }
---
apiVersion: ${CURRENT}
kind: StatusCollector
metadata: { name: count }
spec: { combinedFields: [{ name: count, type: COUNT }] }
---
apiVersion: ${CURRENT}
kind: Binding
metadata: { name: shop, uid: u2 }
spec:
  destinations: [{ clusterId: wec1 }, { clusterId: wec2 }]
  workload:
    namespaceScope:
      - { version: v1, resource: configmaps, namespace: shop, name: web, ${collectors} }
`;
  const nested = run(binding('statusCollection: { statusCollectors: [count] }'));

  it('collects as if the names stood directly in the entry', () => {
    const resultsOf = (out: string) =>
      items(out)
        .filter((one) => one['kind'] === 'CombinedStatus')
        .map((one) => at(one, 'results'));
    expect(nested.code).toBe(0);
    expect(resultsOf(nested.out)).toHaveLength(1);
    const direct = run(binding('statusCollectors: [count]'));
    expect(resultsOf(nested.out)).toEqual(resultsOf(direct.out));
    expect(direct.err).not.toContain('outdated');
  });

  it('says how to write it now', () => {
    expect(nested.err).toContain(
      `Binding shop: ${outdatedCollection('spec.workload.namespaceScope[0]')}`,
    );
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { kindPlural } from '#shared/core/schema/kind-plural.ts';
import { STATUS_RULES } from '#shared/core/status/kinds/rules.ts';
import { readDocument } from '#test/unit/docs/markdown.ts';
import { argocdRules, isAllowedBy } from './argocd-account.ts';

const DOCUMENT = readDocument('docs/argocd.md').text;

describe('the account of Argo CD', () => {
  const rules = argocdRules();

  it.each([...STATUS_RULES.keys()])('may get the objects of %s, which has a rule', (key) => {
    const [kind = '', _version, group = ''] = key.split('/').toReversed();
    const resource = kindPlural(group, kind);
    expect(isAllowedBy(rules, { verb: 'get', group, resource })).toBe(true);
  });

  it('may read, and nothing else; no Secrets, and nothing by a wildcard', () => {
    const verbs = new Set(rules.flatMap((rule) => rule.verbs));
    expect([...verbs].sort()).toEqual(['get', 'list']);
    const named = rules.flatMap(({ resources, apiGroups }) => [...resources, ...apiGroups]);
    expect(named).not.toContain('*');
    expect(named).not.toContain('secrets');
    const deployments = { verb: 'list', group: 'apps', resource: 'deployments' };
    expect(isAllowedBy(rules, deployments)).toBe(false);
  });

  it('has the names that the document calls it by', () => {
    const text = readFileSync('infra/argocd/account.yaml', 'utf8');
    const objects = parseAllDocuments(text).map((one) => one.toJS());
    expect(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([
      ...['Namespace/starfold', 'ServiceAccount/starfold-argocd', 'Secret/starfold-argocd'],
      ...['ClusterRole/starfold-argocd', 'ClusterRoleBinding/starfold-argocd'],
    ]);
    expect(DOCUMENT).toContain('-n starfold get secret starfold-argocd');
  });
});

describe('the patches of argocd-server', () => {
  it.each(['server-patch', 'ca-patch'])('%s mounts the volume that it adds', (name) => {
    const { spec } = parse(readFileSync(`infra/argocd/${name}.yaml`, 'utf8'));
    const { containers, volumes } = spec.template.spec;
    expect(containers).toMatchObject([
      { name: 'argocd-server', volumeMounts: [{ name: volumes[0].name, readOnly: true }] },
    ]);
    expect(DOCUMENT).toContain(`create configmap ${volumes[0].configMap.name} `);
    expect(DOCUMENT).toContain(`--patch-file infra/argocd/${name}.yaml`);
  });
});

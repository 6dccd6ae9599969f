import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { at, isArray, isObject, type JsonValue, member } from '#shared/core/json.ts';

const folder = join(import.meta.dirname, '../../../infra/crds');
const manifests = new Map<string, JsonValue>(
  // `parse` returns the JSON values of the YAML document.
  readdirSync(folder).map((file) => [file, parse(readFileSync(join(folder, file), 'utf8'))]),
);

interface Node {
  readonly path: string;
  readonly schema: JsonValue;
}

/** The schema and every schema inside it. */
function nodesOf({ path, schema }: Node): readonly Node[] {
  const properties = member(schema, 'properties');
  const fields = isObject(properties) ? Object.entries(properties) : [];
  const children = [
    ...fields.map(([name, field]) => ({ path: `${path}.${name}`, schema: field })),
    ...['items', 'additionalProperties'].flatMap((key) => {
      const child = member(schema, key);
      return child === undefined ? [] : [{ path: `${path}[]`, schema: child }];
    }),
  ];
  return [{ path, schema }, ...children.flatMap(nodesOf)];
}

const versionOf = (file: string): JsonValue | undefined => {
  const versions = at(manifests.get(file), 'spec', 'versions');
  return isArray(versions) ? versions[0] : undefined;
};

const schemaNodes = (file: string): readonly Node[] =>
  nodesOf({ path: '', schema: at(versionOf(file), 'schema', 'openAPIV3Schema') ?? null });

const nodeAt = (file: string, path: string): JsonValue | undefined =>
  schemaNodes(file).find((node) => node.path === path)?.schema;

describe('custom resource definitions', () => {
  it('are four, a file for each', () => {
    expect([...manifests.keys()].sort()).toEqual([
      'bindingpolicies.yaml',
      'bindings.yaml',
      'combinedstatuses.yaml',
      'statuscollectors.yaml',
    ]);
  });

  it.each([
    { plural: 'bindingpolicies', kind: 'BindingPolicy', short: 'bp', scope: 'Cluster', sub: true },
    { plural: 'bindings', kind: 'Binding', short: 'bdg', scope: 'Cluster', sub: true },
    {
      plural: 'statuscollectors',
      kind: 'StatusCollector',
      short: 'sc',
      scope: 'Cluster',
      sub: true,
    },
    {
      plural: 'combinedstatuses',
      kind: 'CombinedStatus',
      short: 'cs',
      scope: 'Namespaced',
      sub: false,
    },
  ])('$kind has the names, scope and subresource of KubeStellar', (expected) => {
    const { plural, kind, short, scope, sub } = expected;
    const manifest = manifests.get(`${plural}.yaml`);
    expect(at(manifest, 'metadata', 'name')).toBe(`${plural}.control.kubestellar.io`);
    expect(at(manifest, 'spec', 'group')).toBe('control.kubestellar.io');
    expect(at(manifest, 'spec', 'scope')).toBe(scope);
    expect(at(manifest, 'spec', 'names')).toEqual({
      kind,
      listKind: `${kind}List`,
      plural,
      singular: kind.toLowerCase(),
      shortNames: [short],
    });
    const version = versionOf(`${plural}.yaml`);
    expect(at(version, 'name')).toBe('v1alpha1');
    expect(at(version, 'subresources')).toEqual(sub ? { status: {} } : undefined);
  });

  it.each([...manifests.keys()])('%s has a structural schema', (file) => {
    for (const { path, schema } of schemaNodes(file)) {
      const open = member(schema, 'x-kubernetes-preserve-unknown-fields') === true;
      const typed = typeof member(schema, 'type') === 'string';
      expect(typed || open, `type of ${path}`).toBe(true);
      const isList = member(schema, 'type') === 'array';
      expect(member(schema, 'items') !== undefined, `items of ${path}`).toBe(isList);
    }
  });

  it.each([...manifests.keys()])('%s knows nothing of the nested statusCollection', (file) => {
    const paths = schemaNodes(file).map((node) => node.path);
    expect(paths.filter((path) => path.endsWith('.statusCollection'))).toEqual([]);
  });

  it.each(['bindingpolicies.yaml', 'bindings.yaml'])(
    '%s requires every field of a condition, and observedGeneration',
    (file) => {
      expect(member(nodeAt(file, '.status'), 'required')).toEqual(['observedGeneration']);
      expect(member(nodeAt(file, '.status.conditions[]'), 'required')).toEqual([
        'type',
        'status',
        'lastTransitionTime',
        'reason',
        'message',
      ]);
    },
  );

  it.each([
    { file: 'bindings.yaml', path: '.spec.destinations', keys: ['clusterId'] },
    {
      file: 'bindings.yaml',
      path: '.spec.workload.clusterScope',
      keys: ['group', 'resource', 'name'],
    },
    {
      file: 'bindings.yaml',
      path: '.spec.workload.namespaceScope',
      keys: ['group', 'resource', 'namespace', 'name'],
    },
    { file: 'combinedstatuses.yaml', path: '.results', keys: ['name'] },
  ])('$path of $file is a list map by $keys, all of them required', ({ file, path, keys }) => {
    expect(member(nodeAt(file, path), 'x-kubernetes-list-map-keys')).toEqual(keys);
    const required = member(nodeAt(file, `${path}[]`), 'required');
    expect(required).toEqual(expect.arrayContaining(keys));
  });

  it('gives a StatusCollector a limit of 20 unless it has one', () => {
    expect(member(nodeAt('statuscollectors.yaml', '.spec.limit'), 'default')).toBe(20);
    expect(member(nodeAt('statuscollectors.yaml', '.spec'), 'required')).toBeUndefined();
  });

  it('names the types of a CombinedStatus value as text, Null too', () => {
    const type = nodeAt('combinedstatuses.yaml', '.results[].rows[].columns[].type');
    expect(member(type, 'enum')).toEqual(['String', 'Number', 'Bool', 'Null', 'Object', 'Array']);
  });

  it('requires a selection in every clause of a BindingPolicy', () => {
    const selections = [
      'apiGroup',
      'resources',
      'namespaces',
      'namespaceSelectors',
      'objectSelectors',
      'objectNames',
    ];
    const clause = nodeAt('bindingpolicies.yaml', '.spec.downsync[]');
    expect(member(clause, 'anyOf')).toEqual(selections.map((name) => ({ required: [name] })));
    expect(Object.keys(Object(member(clause, 'properties')))).toEqual(
      expect.arrayContaining(selections),
    );
  });
});

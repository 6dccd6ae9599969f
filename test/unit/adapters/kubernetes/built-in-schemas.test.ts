import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_RESOURCES } from '#local/simulated-cluster/built-in-resources.ts';
import { createBuiltInSchemas } from '#shared/adapters/kubernetes/built-in-schemas.ts';
import { checkObject } from '#shared/core/expression/check-object.ts';
import { compile } from '#shared/core/expression/compile.ts';
import { noField } from '#shared/core/expression/messages.ts';
import type { KindSchema } from '#shared/core/expression/object-field.ts';
import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '#shared/core/json.ts';
import { workloadContent } from '#shared/core/metadata.ts';
import {
  BUILT_IN_KINDS,
  builtInKind,
  isBuiltInGroup,
  isClusterScoped,
} from '#shared/core/schema/built-in-kinds.ts';
import { kindPlural } from '#shared/core/schema/kind-plural.ts';
import { OBJECT_META } from '#shared/core/schema/object-meta.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const CLIENT = join(ROOT, 'node_modules', '@kubernetes', 'client-node', 'dist', 'gen');
const RECORDINGS = join(ROOT, 'test', 'fixtures', 'recordings');
const SCHEMAS = createBuiltInSchemas();
const RESOURCES = BUILT_IN_KINDS.flatMap(([groupVersion, kinds]) => {
  const [group = '', version = ''] = groupVersion.split('/');
  return kinds.map((kind) => ({ group, version, resource: kindPlural(group, kind), kind }));
});
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };

function messages(text: string, schema: KindSchema): readonly string[] {
  const program = { text, variables: new Set(['obj', 'returned'] as const) };
  return checkObject(program, schema).map(({ message }) => message);
}

async function errors(text: string, resource = DEPLOYMENTS): Promise<readonly string[]> {
  const schema = await SCHEMAS.find(resource);
  if (schema === undefined || !compile(text).ok) throw new Error(text);
  return messages(text, schema);
}

describe('the kinds that come with Kubernetes', () => {
  it.each(RESOURCES)('$group/$version $kind has a schema', async (resource) => {
    const schema = await SCHEMAS.find(resource);
    expect(schema?.kind).toBe(resource.kind);
    expect(schema?.obj.fields.get('metadata')).toBe(OBJECT_META);
    expect(schema?.obj.open).toBe(false);
  });

  it('are those of the simulated cluster, and others', () => {
    const missing = BUILT_IN_RESOURCES.filter(
      ({ group }) => group !== 'control.kubestellar.io',
    ).filter((resource) => builtInKind(resource) !== resource.kind);
    expect(missing).toEqual([]);
  });

  it('are all that the client can list in a stable version', () => {
    const paths = readdirSync(join(CLIENT, 'apis'))
      .filter((file) => /V\d+Api\.js$/.test(file))
      .flatMap((file) => {
        const text = readFileSync(join(CLIENT, 'apis', file), 'utf8');
        return [...text.matchAll(/localVarPath = '\/apis?\/([^']+)'/g)].map(
          ([, path = '']) => path,
        );
      });
    const listed = new Set(
      paths.flatMap((path) => {
        const [, group, version, resource] =
          /^(?:([^/]+)\/)?(v\d+)\/(?:namespaces\/\{namespace\}\/)?([a-z]+)$/.exec(path) ?? [];
        return resource === undefined ? [] : [`${group ?? ''}/${version}/${resource}`];
      }),
    );
    const known = new Set(
      RESOURCES.map(({ group, version, resource }) => `${group}/${version}/${resource}`),
    );
    // Resources that can only be created.
    const reviews = [...listed].filter((name) => !known.has(name));
    expect(reviews.filter((name) => !/(?:reviews|bindings)$/.test(name))).toEqual([]);
    expect([...known].filter((name) => !listed.has(name))).toEqual([]);
  });

  it('are in namespaces if the client names a namespace', () => {
    const inNamespaces = new Set(
      readdirSync(join(CLIENT, 'apis'))
        .filter((file) => /V\d+Api\.js$/.test(file))
        .flatMap((file) => {
          const text = readFileSync(join(CLIENT, 'apis', file), 'utf8');
          const paths = text.matchAll(/'\/apis?\/([^']+)\/namespaces\/\{namespace\}\/([a-z]+)'/g);
          return [...paths].map(([, api = '', resource]) => {
            return `${api.includes('/') ? api : `/${api}`}/${resource}`;
          });
        }),
    );
    const wrong = RESOURCES.filter(({ group, version, resource, kind }) => {
      return isClusterScoped(kind) === inNamespaces.has(`${group}/${version}/${resource}`);
    });
    expect(wrong).toEqual([]);
  });

  it('have groups of their own', () => {
    expect(['', 'apps', 'networking.k8s.io'].every(isBuiltInGroup)).toBe(true);
    expect(['gateway.networking.k8s.io', 'example.com'].some(isBuiltInGroup)).toBe(false);
  });

  it('are named in the plural', () => {
    expect(kindPlural('', 'Endpoints')).toBe('endpoints');
    expect(kindPlural('networking.k8s.io', 'NetworkPolicy')).toBe('networkpolicies');
    expect(kindPlural('networking.k8s.io', 'Ingress')).toBe('ingresses');
    expect(kindPlural('', 'Gateway')).toBe('gateways');
  });
});

describe('a schema', () => {
  it('is the same object each time', async () => {
    expect(await SCHEMAS.find(DEPLOYMENTS)).toBe(await SCHEMAS.find({ ...DEPLOYMENTS }));
  });

  it.each([
    { ...DEPLOYMENTS, version: 'v1beta1' },
    { ...DEPLOYMENTS, group: 'example.com' },
    { ...DEPLOYMENTS, resource: 'constructor' },
    { group: 'resource.k8s.io', version: 'v1alpha3', resource: 'devicetaintrules' },
  ])('is not known of $group/$version $resource', async (resource) => {
    expect(await SCHEMAS.find(resource)).toBeUndefined();
  });

  it.each([
    ['obj.spec.replica', `Deployment ${noField('spec.replica', 'spec.replicas')}`],
    [
      'obj.spec.template.spec.containers[0].imag',
      `Deployment ${noField('spec.template.spec.containers[].imag', 'spec.template.spec.containers[].image')}`,
    ],
    [
      'obj.spec.template.metadata.lables',
      `Deployment ${noField('spec.template.metadata.lables', 'spec.template.metadata.labels')}`,
    ],
    ['obj.status.replicas', 'Deployment has no status in expressions: use returned.status'],
    [
      'obj.spec.paused == "true"',
      "with obj of kind Deployment: found no matching overload for '_==_' applied to '(bool, string)'; convert one side, or compare values of the same type",
    ],
  ])('finds %s', async (text, message) => {
    expect(await errors(text)).toEqual([message]);
  });

  it.each([
    'obj.spec.strategy.rollingUpdate.maxSurge == "25%" || obj.spec.strategy.rollingUpdate.maxSurge == 1',
    'obj.spec.template.spec.containers.all(c, c.resources.limits.cpu == 1 || c.resources.limits.cpu == "1")',
    'obj.spec.template.spec.volumes.all(v, v.emptyDir.sizeLimit == 1)',
    'obj.spec.selector.matchLabels.app + obj.spec.template.spec.nodeSelector.zone == ""',
    'obj.spec.template.metadata.creationTimestamp == null',
    'timestamp(obj.metadata.creationTimestamp) < timestamp("2026-01-01T00:00:00Z")',
  ])('has nothing against %s', async (text) => {
    expect(await errors(text)).toEqual([]);
  });

  it('may contain itself', async () => {
    const crds = {
      group: 'apiextensions.k8s.io',
      version: 'v1',
      resource: 'customresourcedefinitions',
    };
    const root = 'obj.spec.versions[0].schema.openAPIV3Schema';
    expect(await errors(`${root}.properties.a.properties.b.type == ""`, crds)).toEqual([]);
    expect(await errors(`${root}.properties.a.properties.b.typ == ""`, crds)).toEqual([
      `CustomResourceDefinition ${noField('spec.versions[].schema.openAPIV3Schema.properties[].properties[].typ', 'spec.versions[].schema.openAPIV3Schema.properties[].properties[].type')}`,
    ]);
  });
});

it('takes the metadata of every object for what the client takes it for', async () => {
  const { V1ObjectMeta } = await import('@kubernetes/client-node/dist/gen/models/V1ObjectMeta.js');
  const names = V1ObjectMeta.getAttributeTypeMap().map(({ baseName }) => baseName);
  expect([...OBJECT_META.fields.keys()].sort()).toEqual(names.sort());
});

function literalOf(value: JsonValue): string {
  if (typeof value === 'string') return '"text"';
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : 'null';
}

/** Each value in an object as a comparison with one of its type: `obj["spec"]["replicas"] == 3`. */
function comparisons(value: JsonValue, path: string): readonly string[] {
  if (isArray(value)) return value.flatMap((item, index) => comparisons(item, `${path}[${index}]`));
  if (!isObject(value)) return [`${path} == ${literalOf(value)}`];
  return Object.entries(value).flatMap(([key, item]) =>
    comparisons(item, `${path}[${JSON.stringify(key)}]`),
  );
}

function objectsOf(file: string): readonly JsonObject[] {
  const lines = readFileSync(join(RECORDINGS, file), 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => at(parseJson(line), 'object')).filter((one) => isObject(one));
}

function resourceOf(object: JsonObject) {
  const [first = '', second] = String(object['apiVersion']).split('/');
  const [group, version] = second === undefined ? ['', first] : [first, second];
  return { group, version, resource: kindPlural(group, String(object['kind'])) };
}

describe('the status that WECs return of a kind that comes with Kubernetes', () => {
  it.each([
    [
      'returned.status.readyReplica',
      `Deployment ${noField('returned.status.readyReplica', 'returned.status.readyReplicas')}`,
    ],
    [
      'returned.status.conditions.exists(c, c.tpe == "Available")',
      `Deployment ${noField('returned.status.conditions[].tpe', 'returned.status.conditions[].type')}`,
    ],
    ['returned.statu', `Deployment ${noField('returned.statu', 'returned.status')}`],
  ])('%s is reported', async (text, message) => {
    expect(await errors(text)).toEqual([message]);
  });

  it('has what it may have, and nothing is reported for a kind without a status', async () => {
    expect(await errors('has(returned.status.availableReplicas)')).toEqual([]);
    const configMaps = { group: '', version: 'v1', resource: 'configmaps' };
    expect(await errors('returned.status.x', configMaps)).toEqual([]);
  });
});

describe('the objects of real API servers', () => {
  const files = readdirSync(RECORDINGS).filter((file) => file.endsWith('.jsonl'));

  it.each(files)('%s: everything in them can be', async (file) => {
    const wrong: string[] = [];
    const kinds = new Set<string>();
    for (const object of objectsOf(file)) {
      const schema = await SCHEMAS.find(resourceOf(object));
      if (schema === undefined) continue;
      kinds.add(schema.kind);
      const texts = [
        ...comparisons(workloadContent(object), 'obj'),
        ...comparisons(at(object, 'status') ?? null, 'returned.status'),
      ];
      wrong.push(...texts.flatMap((text) => messages(text, schema)));
    }
    expect(wrong).toEqual([]);
    expect(kinds.size > 0 || file === 'custom-resource.jsonl').toBe(true);
  });
});

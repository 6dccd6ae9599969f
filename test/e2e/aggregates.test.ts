import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import { isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { kindPlural } from '#shared/core/schema/kind-plural.ts';
import { statusFold } from '#shared/core/status/kinds/rules.ts';
import { writableStatus } from '#shared/core/status/writable/writable-status.ts';
import type { ObjectRef, Resource } from '#shared/ports/kubernetes-api.ts';
import {
  type KindSet,
  type KindSets,
  kindSets,
  type ServedKind,
} from '#test/property/status/kind-sets.ts';
import { ALL_KINDS } from '#test/property/status/kinds/all.ts';
import {
  clusters,
  collectionPath,
  createNamespace,
  JSON_PATCH,
  pathOf,
  remove,
  request,
  requestOk,
} from './clusters.ts';
import { clear } from './controls.ts';
import { type Definition, define, definitionRef } from './open-cluster-management-kinds.ts';

const NAMESPACE = 'aggregates';
/** Objects of each kind, and sets of WECs whose aggregates are written to each, one after the other. */
const OBJECTS = 12;
const SETS = 25;
const SEED = 4;

const { wds } = clusters();

/** APIServices have no place here, because their status is the API server's own, and Workflows have no status subresource. */
const KINDS = ALL_KINDS.flatMap(([name, kind]) =>
  kind.served === undefined ? [] : [{ name, kind, served: kind.served }],
);

/** The custom resources among them. */
const DEFINITIONS = new Map(
  KINDS.flatMap(({ kind, served: { status } }): [string, Definition][] => {
    if (status === undefined) return [];
    const spec = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const properties = { spec, status };
    const definition: Definition = {
      ...resourceOf(kind),
      kind: kind.kind,
      scope: 'Namespaced',
      properties,
    };
    return [[kind.kind, definition]];
  }),
);

function resourceOf({ apiVersion, kind }: KindSets): Resource {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  return { group, version, resource: kindPlural(group, kind) };
}

async function create(kind: KindSets, served: ServedKind, spec: JsonObject): Promise<ObjectRef> {
  const resource = resourceOf(kind);
  const { apiVersion } = kind;
  const created = await requestOk(wds, {
    method: 'POST',
    // The sets have fields that stand for a pod's template.
    path: `${collectionPath(resource, NAMESPACE)}?fieldValidation=Ignore`,
    body: {
      apiVersion,
      kind: kind.kind,
      metadata: { generateName: 'web-', namespace: NAMESPACE },
      spec: { ...served.spec, ...spec },
    },
  });
  const metadata = member(created, 'metadata');
  return { ...resource, namespace: NAMESPACE, name: String(member(metadata, 'name')) };
}

function aggregateOf({ workload, wecs, specsByHash }: KindSet): JsonObject {
  const fold = statusFold(workload, specsByHash);
  const rows = wecs.map(({ perWec }) => perWec);
  return fold.finish(foldRows(fold, rows)) ?? {};
}

/** What the API server says to an aggregate; undefined where it takes it. */
async function refusalOf(ref: ObjectRef, aggregate: JsonObject): Promise<JsonValue | undefined> {
  const object = await requestOk(wds, { method: 'GET', path: pathOf(ref) });
  const { status } = writableStatus(object, aggregate, member(object, 'status'));
  const answer = await request(wds, {
    method: 'PATCH',
    path: `${pathOf(ref)}/status`,
    body: [{ op: 'add', path: '/status', value: status }],
    type: JSON_PATCH,
  });
  if (answer.status === 200) return undefined;
  const before = isObject(object) ? (object['status'] ?? null) : null;
  return { says: answer.body['message'] ?? answer.status, before, status };
}

beforeAll(async () => {
  await createNamespace(wds, NAMESPACE);
  for (const definition of DEFINITIONS.values()) await define(wds, definition);
});
afterAll(() => clear(wds, [...DEFINITIONS.values()].map(definitionRef)));

describe('an API server', () => {
  it.each(KINDS)(
    'takes every aggregate, over whatever stands there: $name',
    async ({ kind, served }) => {
      const specs = fc.sample(kind.specs, { seed: SEED, numRuns: OBJECTS });
      let written = 0;
      for (const spec of specs) {
        const ref = await create(kind, served, spec);
        const sets = kindSets(
          { ...kind, specs: fc.constant(spec) },
          { differingSpecs: true, outOfStep: true },
        );
        for (const set of fc.sample(sets, { seed: SEED, numRuns: SETS })) {
          expect(await refusalOf(ref, aggregateOf(set))).toBeUndefined();
          written += 1;
        }
        await remove(wds, ref);
      }
      expect(written).toBe(OBJECTS * SETS);
    },
  );
});

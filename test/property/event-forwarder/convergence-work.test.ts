import fc from 'fast-check';
import { test } from 'vitest';
import { at, isArray, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { returnedObject } from '#shared/core/status/returned-object.ts';
import { ApiForbiddenError } from '#shared/errors.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import { histories } from '#test/histories.ts';
import { expectHeard, ForwarderWorld, type Trouble, troubles } from './forwarder-world.ts';

const WORKS = {
  group: 'work.open-cluster-management.io',
  version: 'v1',
  resource: 'appliedmanifestworks',
};
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const SERVICES = { group: '', version: 'v1', resource: 'services' };
/** Has no status: never told, whoever has applied it. */
const SECRETS = { group: '', version: 'v1', resource: 'secrets' };
const RESOURCES = [DEPLOYMENTS, SERVICES, SECRETS];
/** Of these one stands all the time. */
const JOBS = { group: 'batch', version: 'v1', resource: 'jobs' };

const UID = '0b96a3f0-3c7f-4d4e-9a55-0123456789ab';
const OTHER_UID = '5d1f0c1e-7b52-4c55-8f0e-aaaaaaaaaaaa';
/** Names of ManifestWorks: three tell their WDS, of two objects of it, one does not. */
const TELLING = [
  `${UID}-wds1-${UID}`,
  `${UID}-wds2-${UID}`,
  'static',
  `${UID}-wds1-${OTHER_UID}`,
] as const;

type Step =
  | Trouble
  | { readonly type: 'apply'; readonly work: string; readonly applied: readonly number[] }
  /** The work goes; `anew`: and one of the same name comes at once, which is another one. */
  | {
      readonly type: 'withdraw';
      readonly work: string;
      readonly telling: number;
      readonly anew: boolean;
      readonly away: boolean;
    }
  /** An object as its works own it; one of them may not be there yet. */
  | {
      readonly type: 'own';
      readonly resource: number;
      readonly name: string;
      readonly works: readonly string[];
      readonly n: number;
    }
  | { readonly type: 'remove'; readonly resource: number; readonly name: string }
  /** What only a work that is gone owns goes, as Kubernetes' garbage collector has it. */
  | { readonly type: 'collect' }
  | { readonly type: 'forbid' | 'allow'; readonly resource: number };

const work = fc.constantFrom('w1', 'w2', 'w3');
const name = fc.constantFrom('a', 'b');
const resource = fc.nat({ max: 2 });
const steps = fc.array(
  fc.oneof(
    ...troubles,
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant('apply' as const),
        work,
        applied: fc.subarray([0, 1, 2]),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('withdraw' as const),
        work,
        telling: fc.nat({ max: TELLING.length - 1 }),
        anew: fc.boolean(),
        away: fc.boolean(),
      }),
    },
    {
      weight: 8,
      arbitrary: fc.record({
        type: fc.constant('own' as const),
        resource,
        name,
        works: fc.subarray(['w1', 'w2', 'w3', 'other']),
        n: fc.nat({ max: 3 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ type: fc.constant('remove' as const), resource, name }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('collect' as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constantFrom('forbid' as const, 'allow'), resource }),
    },
  ),
  { minLength: 1, maxLength: 40 },
);

function resourceAt(index: number): Resource {
  return RESOURCES[index] ?? DEPLOYMENTS;
}

function keyOf({ group, resource: plural }: Resource, key: string): string {
  return `${group}/${plural}/${key}`;
}

function listAt(object: JsonObject, ...path: readonly string[]): readonly JsonValue[] {
  const list = at(object, ...path);
  return isArray(list) ? list : [];
}

function ownersOf(object: JsonObject): readonly JsonValue[] {
  return listAt(object, 'metadata', 'ownerReferences');
}

function ownerOf(workName: string, uid: string): JsonObject {
  const apiVersion = 'work.open-cluster-management.io/v1';
  return { apiVersion, kind: 'AppliedManifestWork', name: workName, uid };
}

function appliedWork(
  workName: string,
  {
    uid,
    applied,
    telling = 0,
  }: { readonly uid: string; readonly applied: readonly Resource[]; readonly telling?: number },
): JsonObject {
  return {
    kind: 'AppliedManifestWork',
    metadata: { name: workName, uid },
    spec: { manifestWorkName: TELLING[telling] ?? 'static' },
    status: { appliedResources: applied.map((of) => ({ ...of, name: 'x' })) },
  };
}

function ownedObject(
  objectName: string,
  ownerReferences: readonly JsonObject[],
  status: JsonObject = {},
): JsonObject {
  const metadata = {
    namespace: 'shop',
    name: objectName,
    uid: `uid-${objectName}`,
    ownerReferences,
  };
  return { kind: 'Any', metadata, status };
}

class World extends ForwarderWorld {
  readonly #wds: string | undefined;
  /** How often a work of the name was withdrawn: a later one has another uid. */
  readonly #withdrawn = new Map<string, number>();
  readonly #telling = new Map<string, number>();

  constructor(wds: string | undefined) {
    super(
      {
        type: 'wec',
        name: 'edge-1',
        appliedManifestWorks: true,
        ...(wds === undefined ? {} : { wds }),
      },
      [WORKS, ...RESOURCES, JOBS],
    );
    this.#wds = wds;
    this.cluster.put(WORKS, appliedWork('steady', { uid: 'uid-steady-0', applied: [JOBS] }));
    this.cluster.put(JOBS, ownedObject('steady', [ownerOf('steady', 'uid-steady-0')]));
  }

  #uidOf(workName: string): string {
    return `uid-${workName}-${this.#withdrawn.get(workName) ?? 0}`;
  }

  apply(workName: string, applied: readonly number[]): void {
    const telling = this.#telling.get(workName) ?? Number(workName.slice(1)) - 1;
    const how = { uid: this.#uidOf(workName), applied: applied.map(resourceAt), telling };
    this.cluster.put(WORKS, appliedWork(workName, how));
  }

  withdraw({ work: own, telling, anew, away }: Extract<Step, { type: 'withdraw' }>): void {
    if (away) {
      this.cluster.disconnect();
      this.cluster.compact();
    }
    if (!anew || !away) this.cluster.remove(WORKS, `/${own}`);
    this.#withdrawn.set(own, (this.#withdrawn.get(own) ?? 0) + 1);
    this.#telling.set(own, telling);
    if (anew) this.apply(own, [telling]);
    if (away) this.cluster.compact();
  }

  own({ resource: index, name: own, works, n }: Extract<Step, { type: 'own' }>): void {
    const owners = works.map((workName) =>
      workName === 'other'
        ? { ...ownerOf('w1', this.#uidOf('w1')), kind: 'ConfigMap' }
        : ownerOf(workName, this.#uidOf(workName)),
    );
    this.cluster.put(resourceAt(index), ownedObject(own, owners, { n }));
  }

  collect(): void {
    for (const of of RESOURCES)
      for (const [key, object] of [...this.cluster.objects(of)]) this.#collectOne(of, key, object);
  }

  #collectOne(of: Resource, key: string, object: JsonObject): void {
    const owners = ownersOf(object);
    const left = owners.filter((owner) => this.#mayCome(String(member(owner, 'uid'))));
    if (left.length === owners.length) return;
    const metadata = { ...(at(object, 'metadata') as JsonObject), ownerReferences: left };
    if (left.length > 0) this.cluster.put(of, { ...object, metadata });
    else this.cluster.remove(of, key);
  }

  /** A work of this uid is there, or not yet. */
  #mayCome(uid: string): boolean {
    const [, workName = '', withdrawn] = uid.split('-');
    return Number(withdrawn) >= (this.#withdrawn.get(workName) ?? 0);
  }

  /**
   * Each object once for each WDS of the works that own it, where a work has applied objects of its resource, with the UID
   * in the name of the first of these works.
   */
  truth(): ReadonlyMap<string, unknown> {
    const works = [...this.cluster.objects(WORKS).values()];
    const applied = works.flatMap((one) => listAt(one, 'status', 'appliedResources'));
    const followed = new Set(applied.map((entry) => member(entry, 'resource')));
    const byUid = new Map(works.map((one) => [at(one, 'metadata', 'uid'), this.#originOf(one)]));
    const entries = [DEPLOYMENTS, SERVICES, JOBS]
      .filter((of) => followed.has(of.resource))
      .flatMap((of) => [...this.cluster.objects(of)].map((entry) => [of, ...entry] as const))
      .flatMap(([of, key, object]) =>
        ownersOf(object)
          .filter((owner) => member(owner, 'kind') === 'AppliedManifestWork')
          .flatMap((owner) => byUid.get(member(owner, 'uid')) ?? [])
          .flatMap(({ wds, ...source }) =>
            wds === undefined
              ? []
              : [
                  [
                    `wec/edge-1 ${wds} ${keyOf(of, key)}`,
                    { ...returnedObject(object), ...source },
                  ] as const,
                ],
          ),
      );
    // The first that is told of a key stays.
    return new Map(entries.toReversed());
  }

  #originOf(one: JsonObject): { readonly wds: string | undefined; readonly sourceUid?: string } {
    const name = String(at(one, 'spec', 'manifestWorkName'));
    const named = name.slice(UID.length + 1, -UID.length - 1);
    return named === '' ? { wds: this.#wds } : { wds: named, sourceUid: name.slice(-UID.length) };
  }
}

async function take(world: World, step: Step): Promise<void> {
  switch (step.type) {
    case 'apply':
      return world.apply(step.work, step.applied);
    case 'withdraw':
      return world.withdraw(step);
    case 'own':
      return world.own(step);
    case 'remove':
      return world.cluster.remove(resourceAt(step.resource), `shop/${step.name}`);
    case 'collect':
      return world.collect();
    case 'forbid':
      return world.cluster.refuse(resourceAt(step.resource), new ApiForbiddenError('list', 'RBAC'));
    case 'allow':
      return world.cluster.refuse(resourceAt(step.resource), undefined);
    default:
      return world.suffer(step);
  }
}

test.each([undefined, 'wds1'])(
  'whatever breaks in between, who hears a forwarder of AppliedManifestWorks (default WDS: %s) in any order knows in the end what they own',
  async (wds) => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.infiniteStream(fc.nat({ max: 1_000_000 })),
        async (history, shuffle) => {
          const world = new World(wds);
          for (const step of history) await take(world, step);
          for (const of of RESOURCES) world.cluster.refuse(of, undefined);
          world.collect();
          // A resource that was given up since it may not be listed is looked at again after five minutes.
          await world.heal(history.some(({ type }) => type === 'forbid') ? 7 * 60_000 : undefined);
          expectHeard(world, world.truth(), {
            rank: () => shuffle.next().value,
            steady: 'wec/edge-1 wds1 batch/jobs/shop/steady',
          });
        },
      ),
      { numRuns: histories({ first: 40, all: 300 }) },
    );
  },
);

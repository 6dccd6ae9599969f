/**
 * Who may read what behind an APIService and at the direct door. A reader needs two permissions: the verb on the resource of the
 * group, and `get` on the workload object's own resource.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leftOut, NO_IMPERSONATION } from '#shared/api/messages.ts';
import { applyObjects } from './accounts.ts';
import {
  ask,
  isAllowed,
  type Rule,
  roleOf,
  type Served,
  servedIn,
  unserved,
  VERBS,
  type Verb,
} from './aggregated/asked.ts';
import { boundObjects, putBound, removeFromWecs } from './aggregated/objects.ts';
import { AggregatedWorld } from './aggregated/world.ts';
import type { Cluster } from './clusters.ts';
import { eventually } from './controls.ts';

const START_TIMEOUT_MS = 180_000;
const GROUP = 'status.starfold.dev';
const RBAC = 'rbac.authorization.k8s.io';
const namespace = 'aggregated-readers';
const bound = boundObjects(namespace);
const SERVED = servedIn(namespace);
/** Every verb that a resource has. */
const GRANTS = SERVED.flatMap((served) => served.verbs.map((verb) => ({ served, verb })));
let world: AggregatedWorld;

/** What a user is to be given, as the API server is asked about it. */
interface Reader {
  readonly name: string;
  readonly rules: readonly Rule[];
}

/** A user with these rules, as the WDS knows him by now. */
async function reader({ name, rules }: Reader): Promise<Cluster> {
  await applyObjects(world.wds, roleOf(name, rules));
  const user = await world.plane.as(name);
  for (const { group, resource, verbs } of rules)
    for (const verb of verbs)
      await eventually(() => isAllowed(user, { verb, group, resource }), true);
  return user;
}

function ruleOf(verb: Verb, { resource }: Served): Rule {
  return { group: GROUP, resource, verbs: [verb] };
}

function toGet({ workload }: Served): readonly Rule[] {
  return workload === undefined ? [] : [{ ...workload, verbs: ['get'] }];
}

/** What a user is answered to every verb of every resource, by door. */
async function answersTo(user: Cluster) {
  const answers: Record<string, Record<string, string>> = {};
  for (const [door, through] of [
    ['APIService', user],
    ['direct', world.directly(user)],
  ] as const) {
    const told: Record<string, string> = {};
    for (const served of SERVED)
      for (const verb of VERBS)
        told[`${verb} ${served.resource}`] = await ask(through, verb, served);
    answers[door] = told;
  }
  return answers;
}

/** Nothing at all. At the direct door, a verb that there is not is refused before the WDS is asked. */
function nothing(door: 'APIService' | 'direct'): Record<string, string> {
  const refusal = (served: Served, verb: Verb): string =>
    door === 'APIService' || served.verbs.includes(verb) ? '403' : unserved(served, verb);
  return Object.fromEntries(
    SERVED.flatMap((served) =>
      VERBS.map((verb) => [`${verb} ${served.resource}`, refusal(served, verb)]),
    ),
  );
}

beforeAll(async () => {
  world = await AggregatedWorld.start('aggregated-readers');
  await putBound(world.wds, bound);
  for (const served of SERVED)
    for (const verb of served.verbs)
      await eventually(
        () => ask(world.wds, verb, served),
        verb === 'create' ? '201, with objects' : '200, with objects',
      );
}, START_TIMEOUT_MS);

afterAll(async () => {
  await removeFromWecs(bound);
  await world.dispose();
});

function full(verb: Verb): string {
  return verb === 'create' ? '201, with objects' : '200, with objects';
}

/** Without `get` on the workload object's own resource: what is asked for by name is refused, other answers leave it out. */
function without({ workload }: Served, verb: Verb): string {
  if (workload === undefined) return full(verb);
  return verb === 'get' || verb === 'create' ? '403' : '200, empty';
}

describe('of all verbs of all resources', () => {
  it('somebody without a role may do none', async () => {
    const user = await world.plane.as('nobody');
    expect(await answersTo(user)).toEqual({
      APIService: nothing('APIService'),
      direct: nothing('direct'),
    });
  });

  it('somebody who may do everything with workload objects may do none', async () => {
    const everything = { group: '*', resource: '*', verbs: ['*'] };
    const rules = ['', 'apps'].map((group) => ({ ...everything, group }));
    const user = await reader({ name: 'operator', rules });
    expect(await answersTo(user)).toEqual({
      APIService: nothing('APIService'),
      direct: nothing('direct'),
    });
  });

  it('an administrator may do those that there are', async () => {
    const answers = await answersTo(world.wds);
    const expected = Object.fromEntries(
      SERVED.flatMap((served) =>
        VERBS.map((verb) => [
          `${verb} ${served.resource}`,
          served.verbs.includes(verb) ? full(verb) : unserved(served, verb),
        ]),
      ),
    );
    expect(answers).toEqual({ APIService: expected, direct: expected });
  });

  it.each(GRANTS)(
    'a reader with `$verb` on $served.resource and `get` on the workload objects may do this one',
    async ({ served, verb }) => {
      const name = `both-${verb}-${served.resource}`;
      const user = await reader({ name, rules: [ruleOf(verb, served), ...toGet(served)] });
      const own = { [`${verb} ${served.resource}`]: full(verb) };
      expect(await answersTo(user)).toEqual({
        APIService: { ...nothing('APIService'), ...own },
        direct: { ...nothing('direct'), ...own },
      });
    },
  );

  it.each(GRANTS)(
    'a reader with `$verb` on $served.resource alone sees no workload object',
    async ({ served, verb }) => {
      const user = await reader({
        name: `verb-${verb}-${served.resource}`,
        rules: [ruleOf(verb, served)],
      });
      const own = { [`${verb} ${served.resource}`]: without(served, verb) };
      expect(await answersTo(user)).toEqual({
        APIService: { ...nothing('APIService'), ...own },
        direct: { ...nothing('direct'), ...own },
      });
    },
  );

  it.each(GRANTS)(
    'a reader with everything but `$verb` on $served.resource may not do this one',
    async ({ served, verb }) => {
      const rules = SERVED.map((one) => ({
        group: GROUP,
        resource: one.resource,
        verbs: VERBS.filter((other) => one !== served || other !== verb),
      }));
      const workloads = ['', 'apps'].map((group) => ({ group, resource: '*', verbs: ['get'] }));
      const user = await reader({
        name: `but-${verb}-${served.resource}`,
        rules: [...rules, ...workloads],
      });
      expect(await ask(user, verb, served)).toBe('403');
      expect(await ask(world.directly(user), verb, served)).toBe('403');
      const [other] = SERVED.flatMap((one) => (one === served ? [] : [one]));
      expect(other && (await ask(user, other.verbs[0] ?? 'get', other))).toMatch(/with objects$/);
    },
  );
});

describe('infra/rbac/status-readers.yaml', () => {
  /** A user with a role, in a namespace or (`''`) in the whole cluster. */
  async function bindTo(name: string, role: string, of: string): Promise<Cluster> {
    await applyObjects(world.wds, [
      {
        apiVersion: `${RBAC}/v1`,
        kind: of === '' ? 'ClusterRoleBinding' : 'RoleBinding',
        metadata: { name, ...(of === '' ? {} : { namespace: of }) },
        roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
        subjects: [{ apiGroup: RBAC, kind: 'User', name }],
      },
    ]);
    return world.plane.as(name);
  }

  /** Waits until the API server lets a user do what has this scope. */
  async function knows(user: Cluster, of: string): Promise<void> {
    for (const { served, verb } of GRANTS) {
      const { resource } = served;
      const attributes = { verb, group: GROUP, resource, namespace: of };
      if (served.namespace === of) await eventually(() => isAllowed(user, attributes), true);
    }
  }

  beforeAll(() => world.startControllers('clusterrole-aggregation-controller'), START_TIMEOUT_MS);

  it.each(['view', 'edit', 'admin'])(
    'lets somebody with `%s` in a namespace read what WECs report about the objects in it',
    async (role) => {
      const user = await bindTo(`${role}-user`, role, namespace);
      await knows(user, namespace);
      for (const { served, verb } of GRANTS)
        expect(await ask(user, verb, served)).toBe(served.namespace === '' ? '403' : full(verb));
      const { wds } = await world.doorsOf(user, `${role}-user`);
      await expect(world.kubectl(['get', 'wecst', '-A'], wds)).rejects.toThrow(
        'at the cluster scope',
      );
    },
  );

  it('shows nothing of Secrets to somebody with `view`, and says so', async () => {
    const { wds } = await world.doorsOf(await world.plane.as('view-user'), 'view-user');
    const { stdout, stderr } = await world.kubectl(
      ['get', 'wecst', '-n', namespace, '-o', 'name'],
      wds,
    );
    expect(stdout).toContain('deployments.apps:app:wec1');
    expect(stdout).not.toContain('secrets:');
    expect(stderr).toContain(`Warning: ${leftOut(['secrets'])}`);
    const one = ['get', 'wecst', '-n', namespace, 'secrets:key:wec1'];
    await expect(world.kubectl(one, wds)).rejects.toThrow(/cannot get resource "secrets"/);
    expect((await world.kubectl([...one, '-o', 'name'])).stdout).toContain('secrets:key:wec1');
  });

  it('lets somebody with the other role see WECs, and objects without a namespace that he may get', async () => {
    const user = await bindTo('fleet-user', 'starfold-status-view-cluster', '');
    await knows(user, '');
    for (const { served, verb } of GRANTS)
      expect(await ask(user, verb, served)).toBe(
        served.namespace === '' ? without(served, verb) : '403',
      );
  });
});

it('the front proxy names the user for whom an administrator asks', async () => {
  const rule = { group: GROUP, resource: 'wecstatuses', verbs: ['list'] };
  const workloads = { group: 'apps', resource: 'deployments', verbs: ['get'] };
  await reader({ name: 'impersonated', rules: [rule, workloads] });
  const list = ['get', 'wecst', '-n', namespace, '-o', 'name'];
  const { stdout, stderr } = await world.kubectl([...list, '--as', 'impersonated']);
  expect(stdout).toContain('deployments.apps:app:wec1');
  expect(stdout).not.toContain('secrets:');
  expect(stderr).toContain(leftOut(['secrets']));
  await expect(world.kubectl([...list, '--as', 'somebody-else'])).rejects.toThrow(
    /User "somebody-else" cannot list resource "wecstatuses"/,
  );
});

it('the direct door answers nobody who asks as somebody else, as if he asked for himself', async () => {
  const asOther = (...args: readonly string[]) =>
    world.kubectl([...args, '-n', namespace, '--as', 'somebody-else'], world.admin.direct);
  for (const args of [
    ['get', 'wecst'],
    ['auth', 'can-i', 'list', 'wecst'],
  ])
    await expect(asOther(...args)).rejects.toThrow(NO_IMPERSONATION);
});

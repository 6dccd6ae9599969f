/**
 * The chart's roles are enough, and everything in them is needed: with them the program is ready, and without one verb of
 * one resource it says which is missing.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FLEET_GROUP, FLEET_KINDS, FLEET_VERSION } from '#shared/core/fleet-object.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { isBuiltInGroup } from '#shared/core/schema/built-in-kinds.ts';
import { kindPlural } from '#shared/core/schema/kind-plural.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { ALL_KINDS } from '#test/property/status/kinds/all.ts';
import { type Grant, grantsOf, refusalOf, renderRelease, withoutGrant } from './accounts.ts';
import { type Cluster, clusters, createNamespace, setStatus } from './clusters.ts';
import { bind, clear, controlRef } from './controls.ts';
import { valuesFile } from './helm.ts';
import {
  applyWork,
  defineInventory,
  defineWorks,
  removeLeftovers,
  workRef,
} from './open-cluster-management.ts';
import { type Definition, define, definitionRef } from './open-cluster-management-kinds.ts';
import { type RestrictedProgram, startRestricted } from './roles-program.ts';

const { wds, wec1 } = clusters();
const PATIENCE = { timeout: 30_000, interval: 50 };
const namespace = 'roles-forwarder';
/** The kinds with a rule, by `GROUP/RESOURCE`; of several versions the newest. */
const RULED: ReadonlyMap<string, Definition> = new Map(
  ALL_KINDS.toReversed().map(([, { apiVersion, kind }]): [string, Definition] => {
    const [version = '', group = ''] = apiVersion.split('/').toReversed();
    const resource = kindPlural(group, kind);
    const definition: Definition = {
      group,
      version,
      resource,
      kind,
      scope: 'Namespaced',
      properties: {},
    };
    return [`${group}/${resource}`, definition];
  }),
);
/** What may be bound or applied and is not Kubernetes' own. */
const CUSTOM = [...RULED.values()].filter(({ group }) => !isBuiltInGroup(group));
/** What a management cluster of Fleet serves. */
const FLEET: readonly Definition[] = Object.entries(FLEET_KINDS)
  .filter(([resource]) => resource !== 'jobs')
  .map(([resource, kind]) => ({
    ...{ group: FLEET_GROUP, version: FLEET_VERSION, resource, kind },
    scope: 'Namespaced',
    properties: {},
  }));

/** The documented sets of values, and the cluster that such a forwarder watches. */
const SETS: readonly (readonly [string, Cluster])[] = [
  ['wec-appliedmanifestworks', wec1],
  ['wec-selector', wec1],
  ['wec-resources', wec1],
  ['its', wec1],
  ['wds', wds],
  ['fleet', wec1],
];

/** What is no workload resource. */
const OWN_GROUPS: ReadonlySet<string> = new Set([
  ...['control.kubestellar.io', 'work.open-cluster-management.io', 'apiextensions.k8s.io'],
  ...['cluster.open-cluster-management.io', 'coordination.k8s.io'],
]);

/** Stands in names for the case. */
const CASE = 'rolecase';

async function releaseOf(set: string) {
  const options = ['-f', valuesFile(set)];
  return renderRelease({ namespace: CASE, name: CASE }, options);
}

const releases = new Map(
  await Promise.all(SETS.map(async ([set]) => [set, await releaseOf(set)] as const)),
);

interface Case {
  readonly set: string;
  readonly cluster: Cluster;
  readonly removed: Grant;
  readonly verb: string;
  readonly what: string;
}

function accessOf(set: string): readonly JsonObject[] {
  return releases.get(set)?.access ?? [];
}

const cases: readonly Case[] = SETS.flatMap(([set, cluster]) =>
  grantsOf(accessOf(set)).map((removed) => {
    const { verb, group, resource } = removed;
    return {
      set,
      cluster,
      removed,
      verb,
      what: group === '' ? resource : `${resource}.${group}`,
    };
  }),
);

let started = 0;
const programs: RestrictedProgram[] = [];

/** Starts the program of a set in a namespace and with an account of its own. */
async function start(
  set: string,
  cluster: Cluster,
  access: readonly JsonObject[],
): Promise<RestrictedProgram> {
  const release = releases.get(set);
  if (release === undefined) throw new RangeError(`there is no set ${set}`);
  started += 1;
  const text = JSON.stringify({ ...release, access });
  const program = await startRestricted(
    cluster,
    JSON.parse(text.replaceAll(CASE, `${namespace}-${started}`)),
  );
  programs.push(program);
  return program;
}

/** An object of each workload resource that the chart lets be read; they need not stand. */
const workloads: readonly ObjectRef[] = grantsOf(accessOf('wds'))
  .filter(({ group, verb }) => verb === 'list' && !OWN_GROUPS.has(group))
  .map(({ group, resource }) => ({
    group,
    version: RULED.get(`${group}/${resource}`)?.version ?? 'v1',
    resource,
    namespace: resource === 'namespaces' ? '' : namespace,
    name: namespace,
  }));

beforeAll(async () => {
  await removeLeftovers();
  for (const cluster of [wds, wec1]) {
    await createNamespace(cluster, namespace);
    for (const kind of CUSTOM) await define(cluster, kind);
  }
  for (const kind of FLEET) await define(wec1, kind);
  await defineWorks(wec1);
  await defineInventory(wec1);
  await applyWork(wec1, namespace, []);
  const appliedResources = workloads.map((ref) => ({ ...ref, uid: ref.resource }));
  await setStatus(wec1, workRef(namespace), { appliedResources });
  const modulation = { statusCollectors: ['any'] };
  const objects = workloads.map((ref) => [ref, modulation] as const);
  await bind({ name: namespace, destinations: [], objects });
});
afterAll(async () => {
  await Promise.all(programs.map((program) => program.stop()));
  await clear(wds, [controlRef('bindings', namespace), ...CUSTOM.map(definitionRef)]);
  await clear(wec1, [workRef(namespace), ...[...CUSTOM, ...FLEET].map(definitionRef)]);
});

/** What the checks say of refusals: faults, and resources that are left out. */
function refusedIn(program: RestrictedProgram): readonly string[] {
  return program
    .checks()
    .flatMap(({ ok, notice, name, text }) =>
      ok && (!notice || name === 'notice') ? [] : [`${name}: ${text}`],
    );
}

function faultsOf(program: RestrictedProgram): readonly string[] {
  return program.checks().flatMap(({ ok, name, text }) => (ok ? [] : [`${name}: ${text}`]));
}

/** The number of notices in all lines of the log. */
function loggedNotices(program: RestrictedProgram): number {
  const counts = program.warnings.flatMap((line) => /"count":(\d+)/.exec(line)?.[1] ?? []);
  return counts.reduce((sum, count) => sum + Number(count), 0);
}

describe.concurrent("the chart's roles", () => {
  it('are distinct in each of their verbs', () => {
    const verbs = new Set(cases.map(({ verb }) => verb));
    expect(verbs).toEqual(new Set(['create', 'get', 'update', 'list', 'watch']));
  });

  it.each(SETS)('of %s are enough', async (set, cluster) => {
    const program = await start(set, cluster, accessOf(set));
    await vi.waitFor(() => {
      expect(faultsOf(program)).toEqual([]);
      expect(program.checks().length).toBeGreaterThan(3);
    }, PATIENCE);
    await program.stop();
  });

  it('leave out many resources with a label alone, in a few lines of the log', async () => {
    const program = await start('wec-selector', wec1, accessOf('wec-selector'));
    let leftOut = 0;
    // Each line of the log counts what was not in a line before.
    await vi.waitFor(() => {
      expect(faultsOf(program)).toEqual([]);
      leftOut = program.checks().filter(({ notice }) => notice).length;
      expect(leftOut).toBeGreaterThan(10);
      expect(loggedNotices(program)).toBeGreaterThanOrEqual(leftOut);
    }, PATIENCE);
    const lines = program.lines.filter((line) => line !== 'the Lease has a holder');
    expect(new Set(lines)).toEqual(
      new Set(['not ready', 'leading', 'snapshot', 'ready', 'not everything is forwarded']),
    );
    expect(lines.length).toBeLessThan(leftOut);
    await program.stop();
  });

  it.each(cases)('of $set need $verb of $what, which is named where it is missing', async (one) => {
    const { set, cluster, removed, what } = one;
    const program = await start(set, cluster, withoutGrant(accessOf(set), removed));
    const refusal = refusalOf(removed);
    const isLease = removed.resource === 'leases';
    const check = isLease ? 'election: ' : `${what}/v`;
    await vi.waitFor(() => {
      const [named, ...others] = refusedIn(program).filter((fault) => fault.includes(refusal));
      expect(named?.startsWith(check)).toBe(true);
      expect(others).toEqual([]);
      // Without a list of resources there are many that may not be read; a line of the log names 20 checks.
      const escaped = JSON.stringify(refusal).slice(1, -1);
      if (set !== 'wec-selector')
        expect(program.warnings.filter((line) => line.includes(escaped))).not.toEqual([]);
    }, PATIENCE);
    const remedy = isLease
      ? `the verb ${removed.verb} is missing`
      : /allows list and watch|the role does not allow it/;
    expect(refusedIn(program).join('\n')).toMatch(remedy);
    await program.stop();
  });
});

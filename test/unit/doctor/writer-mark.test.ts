import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import {
  MARK_DELETED,
  NO_IDENTITY,
  WITH_CONTEXT,
  writtenByAnother,
} from '#shared/doctor/messages.ts';
import {
  createWriterMark,
  markedApi,
  markedConnections,
  REMEMBERED_MS,
  takeoverCommand,
  WdsTakenError,
  WRITER_LEASE,
  WriterMarkError,
} from '#shared/doctor/writer-mark.ts';
import { ApiConflictError, ApiForbiddenError, ApiNotFoundError } from '#shared/errors.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { createMemoryCluster } from '#test/fakes/memory-cluster.ts';

const MINE = { identity: 'mine', runsAs: 'starfold start 1' };
const THEIRS = { identity: 'theirs', runsAs: 'AWS Lambda, stage prod' };
const MAP = { group: '', version: 'v1', resource: 'configmaps', namespace: 'shop', name: 'web' };

function world() {
  const cluster = createMemoryCluster(() => 'uid');
  const calls: string[] = [];
  let now = Date.UTC(2026, 0, 1);
  const noted = <K extends keyof ObjectApi>(verb: K): ObjectApi[K] =>
    // The same function, noted.
    ((...args: Parameters<ObjectApi[K]>) => {
      calls.push(`${verb} ${args[0].resource}`);
      return (cluster.api[verb] as (...all: Parameters<ObjectApi[K]>) => unknown)(...args);
    }) as ObjectApi[K];
  const api: ObjectApi = {
    get: noted('get'),
    create: noted('create'),
    replace: noted('replace'),
    replaceStatus: noted('replaceStatus'),
    patchLabels: noted('patchLabels'),
    delete: noted('delete'),
  };
  const markOf = (self: typeof MINE) =>
    createWriterMark({ cluster: 'WDS wds1', api, self, clock: () => now });
  return {
    cluster,
    calls,
    api,
    markOf,
    pass: (ms: number) => {
      now += ms;
    },
    lease: async (): Promise<JsonObject | undefined> => cluster.api.get(WRITER_LEASE),
  };
}

describe('the mark of a cluster', () => {
  it('names the installation that writes first, what it runs as and since when; it has no end', async () => {
    const { markOf, lease } = world();
    await markOf(MINE).ensure();
    expect(await lease()).toMatchObject({
      kind: 'Lease',
      metadata: { annotations: { 'starfold.dev/runs-as': 'starfold start 1' } },
      spec: { holderIdentity: 'mine', acquireTime: '2026-01-01T00:00:00.000000Z' },
    });
    expect(await lease()).not.toHaveProperty('spec.leaseDurationSeconds');
  });

  it('rejects another installation, and names the first and the command', async () => {
    const { markOf } = world();
    await markOf(THEIRS).ensure();
    const refused = markOf({ ...MINE, identity: "o'hara@host:/x" }).ensure();
    await expect(refused).rejects.toThrow(WdsTakenError);
    await expect(refused).rejects.toThrow(
      writtenByAnother(
        'WDS wds1',
        'theirs (AWS Lambda, stage prod, since 2026-01-01T00:00:00.000000Z)',
        `starfold takeover --identity 'o'\\''hara@host:/x', ${WITH_CONTEXT}`,
      ),
    );
  });

  it('names the context of the cluster and its kubeconfig in the command where they are known, and otherwise asks for it', async () => {
    const { api, markOf } = world();
    await markOf(THEIRS).ensure();
    const deps = { cluster: 'WDS wds1', api, self: MINE, clock: () => 0 };
    const self = { ...MINE, context: 'kind-wds1' };
    await expect(createWriterMark({ ...deps, self }).ensure()).rejects.toThrow(
      takeoverCommand(self),
    );
    await expect(createWriterMark(deps).ensure()).rejects.toThrow(takeoverCommand(MINE));
    expect(takeoverCommand(self)).toContain("--context 'kind-wds1' --identity 'mine'");
    expect(takeoverCommand(MINE)).not.toContain('CONTEXT');
    expect(takeoverCommand({ ...self, kubeconfig: 'my clusters.yaml' })).toBe(
      "starfold takeover --kubeconfig 'my clusters.yaml' --context 'kind-wds1' --identity 'mine'",
    );
  });

  it('is reported in one short line without control characters, whatever the Lease contains', () => {
    const holder = {
      identity: `\u001b]0;x\u0007\u202eevil\n${'x'.repeat(1e6)}`,
      runsAs: '\r\n\u2028',
    };
    const { message } = new WdsTakenError('WDS wds1', { ...holder, since: '\u001b[2J' }, MINE);
    expect(message).toMatch(/: {2}\]0;x evil x{2,500}… \( , since {2}\[2J\)\. This one/);
    expect(message.length).toBeLessThan(1000);
  });

  it('is checked once a minute, by all that write at a time together', async () => {
    const { markOf, calls, pass } = world();
    const mark = markOf(MINE);
    await Promise.all([mark.ensure(), mark.ensure()]);
    pass(REMEMBERED_MS - 1);
    await mark.ensure();
    expect(calls).toEqual(['get leases', 'create leases']);
    pass(1);
    await mark.ensure();
    expect(calls).toEqual(['get leases', 'create leases', 'get leases']);
  });

  it('is found to be another one within a minute of a takeover, and to be its own again', async () => {
    const { markOf, cluster, pass, lease } = world();
    const mark = markOf(MINE);
    await mark.ensure();
    const own = await lease();
    cluster.apply(WRITER_LEASE, { ...own, spec: { holderIdentity: 'theirs' } });
    pass(REMEMBERED_MS);
    await expect(mark.ensure()).rejects.toThrow('theirs');
    cluster.apply(WRITER_LEASE, { ...own, spec: { holderIdentity: 'mine' } });
    await expect(mark.ensure()).rejects.toThrow('theirs');
    pass(5_000);
    await mark.ensure();
  });

  it('goes to one of two that begin at a time: the API server decides', async () => {
    const { api } = world();
    let first = true;
    // Neither sees the other's.
    const late: ObjectApi = {
      ...api,
      get: async (ref) => {
        if (!first) return api.get(ref);
        first = false;
        await api.create(ref, { spec: { holderIdentity: 'theirs' } });
        return undefined;
      },
    };
    const mark = createWriterMark({ cluster: 'WDS w', api: late, self: MINE, clock: () => 0 });
    await expect(mark.ensure()).rejects.toThrow(WdsTakenError);
  });

  it('reports it if the namespace is missing, or if it comes and goes', async () => {
    const { api } = world();
    const markWith = (error: Error) =>
      createWriterMark({
        ...{ cluster: 'WDS wds1', self: MINE, clock: () => 0 },
        api: {
          ...api,
          create: async () => {
            throw error;
          },
        },
      });
    const missing = markWith(new ApiNotFoundError('create leases', 'namespaces not found'));
    await expect(missing.ensure()).rejects.toThrow(WriterMarkError);
    await expect(missing.ensure()).rejects.toThrow(
      'WDS wds1: the Lease kube-system/starfold-writer, which names its writer, cannot be created: not found: create leases: namespaces not found: create the namespace kube-system, and have the API server serve leases.coordination.k8s.io/v1 there',
    );
    const unsteady = markWith(new ApiConflictError('create leases', 'exists'));
    await expect(unsteady.ensure()).rejects.toThrow(MARK_DELETED);
    const denied = new ApiForbiddenError('create leases', 'forbidden');
    await expect(markWith(denied).ensure()).rejects.toBe(denied);
  });

  it('is reported each time it was read', async () => {
    const { api, markOf } = world();
    const looks: (string | undefined)[] = [];
    const onLook = (taken: WdsTakenError | undefined) => looks.push(taken?.holder.identity);
    const deps = { cluster: 'WDS w', api, clock: () => 0, onLook };
    await createWriterMark({ ...deps, self: MINE }).ensure();
    const other = createWriterMark({ ...deps, self: THEIRS });
    await expect(other.ensure()).rejects.toThrow();
    expect(looks).toEqual([undefined, 'mine']);
    await markOf(MINE).ensure();
  });

  it('names one that has no name', async () => {
    const { cluster, markOf } = world();
    cluster.apply(WRITER_LEASE, { spec: {} });
    await expect(markOf(MINE).ensure()).rejects.toThrow(`${NO_IDENTITY}. This one`);
  });
});

describe('an API server that is written only with the mark', () => {
  const change = { resourceVersion: '1', status: {}, labels: {} };
  const writes: readonly (readonly [string, (api: ObjectApi) => Promise<unknown>])[] = [
    ['create', (api) => api.create(MAP, {})],
    ['replace', (api) => api.replace(MAP, { metadata: { resourceVersion: '1' } })],
    ['replaceStatus', (api) => api.replaceStatus(MAP, change)],
    ['patchLabels', (api) => api.patchLabels(MAP, change)],
    ['delete', (api) => api.delete(MAP, { uid: 'u', resourceVersion: '1' })],
  ];

  it.each(writes)('takes no %s of another installation', async (verb, write) => {
    const { api, markOf, calls } = world();
    await markOf(THEIRS).ensure();
    await expect(write(markedApi(api, markOf(MINE)))).rejects.toThrow(WdsTakenError);
    expect(calls).not.toContain(`${verb} configmaps`);
  });

  it.each(writes)('passes on the %s of its own', async (verb, write) => {
    const { api, markOf, calls } = world();
    await write(markedApi(api, markOf(MINE))).catch(() => undefined);
    expect(calls).toEqual(['get leases', 'create leases', `${verb} configmaps`]);
  });

  it('is read without it, and connected to once', async () => {
    const { api, calls } = world();
    const options = { title: 'WDS', self: MINE, clock: () => 0 };
    const connections = markedConnections(() => api, options);
    expect(await connections('wds1').get(MAP)).toBeUndefined();
    expect(calls).toEqual(['get configmaps']);
    expect(connections('wds1')).toBe(connections('wds1'));
    await connections('wds1').create(MAP, {});
    expect(calls).toContain('create leases');
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runTakeover, type Takeover, takeOver } from '#local/cli/takeover-run.ts';
import {
  type SimulatedCluster,
  startSimulatedCluster,
} from '#local/simulated-cluster/simulated-cluster.ts';
import { writerIdentity } from '#local/start/writer-identity.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { markedLease, WRITER_LEASE } from '#shared/doctor/writer-mark.ts';
import { ApiConflictError, ApiForbiddenError } from '#shared/errors.ts';
import { deadPort, writeKubeconfig } from '#test/embedded/kubeconfig-file.ts';
import { createMemoryCluster } from '#test/fakes/memory-cluster.ts';

const NOW_MS = Date.UTC(2026, 0, 2);
const FIRST = { identity: 'first', runsAs: 'starfold start 1' };
const TITLE = 'first (starfold start 1, since 2026-01-01T00:00:00.000000Z)';
const LEASE = markedLease(undefined, FIRST, Date.UTC(2026, 0, 1));

/** What is asked of the user, and how it is answered. */
interface Asked {
  readonly isPossible: boolean;
  readonly answer: boolean;
}

let folder: string;
let wds: SimulatedCluster;
let file: string;
let questions: string[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-takeover-'));
  wds = await startSimulatedCluster({ name: 'wds' });
  const dead = `http://127.0.0.1:${await deadPort()}`;
  file = writeKubeconfig(join(folder, 'kubeconfig'), { wds: wds.url, dead });
  questions = [];
});
afterEach(async () => {
  await wds.close();
  rmSync(folder, { recursive: true });
});

/** Runs the command; what it wrote. */
async function run(
  options: { readonly context?: string; readonly yes?: boolean; readonly identity?: string },
  { isPossible, answer }: Asked = { isPossible: false, answer: false },
): Promise<string> {
  let written = '';
  const terminal = {
    out: (text: string) => {
      written += text;
    },
    notice: () => undefined,
    usage: () => undefined,
    input: async () => new Uint8Array(),
    isTerminal: isPossible,
    clock: () => NOW_MS,
  };
  const ask = async (text: string): Promise<boolean> => {
    questions.push(text);
    return answer;
  };
  const all = { context: 'wds', kubeconfig: file, identity: 'second', state: 's', ...options };
  await runTakeover(all, { terminal, question: { isPossible, ask } });
  return written;
}

/** Whom the WDS is marked for, as a second run says. */
async function isWriter(identity: string): Promise<boolean> {
  const said = await run({ identity }).catch((error: unknown) => String(error));
  return said === `${identity} writes wds already.\n`;
}

describe('starfold takeover', () => {
  it('marks a cluster that nobody writes without a question', async () => {
    expect(await run({})).toBe('second writes wds from now on; nobody did before.\n');
    expect(await isWriter('second')).toBe(true);
    expect(questions).toEqual([]);
  });

  it('is for starfold start of this user with this state where no identity is given', async () => {
    const options = { context: 'wds', kubeconfig: file, state: join(folder, 'state.sqlite') };
    const own = writerIdentity(options.state);
    const terminal = {
      out: () => undefined,
      notice: () => undefined,
      input: async () => new Uint8Array(),
    };
    const rest = { usage: () => undefined, isTerminal: false, clock: () => NOW_MS };
    const question = { isPossible: false, ask: async () => false };
    await runTakeover(options, { terminal: { ...terminal, ...rest }, question });
    expect(await isWriter(own)).toBe(true);
  });

  it('asks before it puts somebody in the place of another, and does so on a yes', async () => {
    wds.apply(LEASE);
    expect(await run({}, { isPossible: true, answer: true })).toBe(
      'second writes wds from now on. first may write for another minute, and notices when it is to write after that.\n',
    );
    expect(questions).toEqual([`${TITLE} writes wds. Put second in its place?`]);
    expect(await isWriter('second')).toBe(true);
  });

  it('changes nothing on a no', async () => {
    wds.apply(LEASE);
    await expect(run({}, { isPossible: true, answer: false })).rejects.toThrow(
      `nothing was changed: ${TITLE} writes the cluster`,
    );
    expect(await isWriter('first')).toBe(true);
  });

  it('asks for --yes where there is nobody to ask', async () => {
    wds.apply(LEASE);
    await expect(run({})).rejects.toThrow(
      `${TITLE} writes wds: give --yes to put second in its place, as there is nobody to ask`,
    );
    expect(await isWriter('first')).toBe(true);
  });

  it('does not ask with --yes', async () => {
    wds.apply(LEASE);
    await run({ yes: true }, { isPossible: true, answer: false });
    expect(questions).toEqual([]);
    expect(await isWriter('second')).toBe(true);
  });

  it('names the contexts that there are where it is given another', async () => {
    await expect(run({ context: 'wsd' })).rejects.toThrow(/wsd.*wds, dead/);
  });

  it('says that an API server does not answer', async () => {
    await expect(run({ context: 'dead' })).rejects.toMatchObject({
      name: 'InputError',
      message: expect.stringMatching(
        /^dead: API server unavailable: .*ECONNREFUSED.*: check that its API server answers, and the server of this context/,
      ),
    });
  });
});

describe('who takes a cluster over', () => {
  const MEANWHILE =
    'wds: somebody else has changed who writes it meanwhile, so nothing was done: give the command again to see who it is';
  const refusal = new ApiForbiddenError('update leases', 'leases is forbidden');

  function takeoverOf(api: Partial<Takeover['api']>): Takeover {
    const cluster = createMemoryCluster(() => 'uid');
    cluster.apply(WRITER_LEASE, LEASE);
    const { get, create, replace } = cluster.api;
    const confirmed = async (): Promise<boolean> => true;
    const used = { get, create, replace, ...api };
    return { context: 'wds', api: used, identity: 'second', runsAs: 'x', confirmed, nowMs: NOW_MS };
  }

  it('does not overrule whoever took it in the meantime', async () => {
    const cluster = createMemoryCluster(() => 'uid');
    cluster.apply(WRITER_LEASE, LEASE);
    const third = { identity: 'third', runsAs: 'x' };
    const takeover: Takeover = {
      ...takeoverOf({}),
      api: cluster.api,
      confirmed: async () => {
        const lease: JsonObject | undefined = await cluster.api.get(WRITER_LEASE);
        cluster.apply(WRITER_LEASE, markedLease(lease, third, NOW_MS));
        return true;
      },
    };
    await expect(takeOver(takeover)).rejects.toThrow(MEANWHILE);
    expect(await cluster.api.get(WRITER_LEASE)).toMatchObject({
      spec: { holderIdentity: 'third' },
    });
  });

  it('does not overrule whoever marked it first where nobody had', async () => {
    const create = async (): Promise<never> => {
      throw new ApiConflictError('create leases', 'exists');
    };
    const takeover = takeoverOf({ get: async () => undefined, create });
    await expect(takeOver(takeover)).rejects.toThrow(MEANWHILE);
  });

  it.each(['get', 'replace'] as const)('must be allowed to %s', async (verb) => {
    const forbidden = async (): Promise<never> => Promise.reject(refusal);
    await expect(takeOver(takeoverOf({ [verb]: forbidden }))).rejects.toThrow(
      'wds: API server denies: update leases: leases is forbidden: whoever gives this command needs get, create and update of leases.coordination.k8s.io in the namespace kube-system',
    );
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TAKEOVER } from '#local/cli/takeover/messages.ts';
import { runTakeover, type Takeover, takeOver } from '#local/cli/takeover/takeover-run.ts';
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
    drained: async () => undefined,
    notice: () => undefined,
    progress: () => undefined,
    usage: () => undefined,
    input: async () => new Uint8Array(),
    isTerminal: isPossible,
    columns: 80,
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

/** Whether the WDS is marked for an identity, as a second run reports. */
async function isWriter(identity: string): Promise<boolean> {
  const printed = await run({ identity }).catch((error: unknown) => String(error));
  return printed === `${TAKEOVER.same('wds', identity)}\n`;
}

describe('starfold takeover', () => {
  it('marks a cluster without a writer and asks nothing', async () => {
    expect(await run({})).toBe(`${TAKEOVER.first('wds', 'second')}\n`);
    expect(await isWriter('second')).toBe(true);
    expect(questions).toEqual([]);
  });

  it('marks it for starfold start of this user with this state if no identity is given', async () => {
    const options = { context: 'wds', kubeconfig: file, state: join(folder, 'state.sqlite') };
    const own = writerIdentity(options.state);
    const terminal = {
      out: () => undefined,
      drained: async () => undefined,
      notice: () => undefined,
      progress: () => undefined,
      input: async () => new Uint8Array(),
    };
    const rest = { usage: () => undefined, isTerminal: false, columns: 80, clock: () => NOW_MS };
    const question = { isPossible: false, ask: async () => false };
    await runTakeover(options, { terminal: { ...terminal, ...rest }, question });
    expect(await isWriter(own)).toBe(true);
  });

  it('asks before it replaces a writer, and replaces it on a yes', async () => {
    wds.apply(LEASE);
    expect(await run({}, { isPossible: true, answer: true })).toBe(
      `${TAKEOVER.replaced('wds', 'first', 'second')}\n`,
    );
    expect(questions).toEqual([TAKEOVER.question('wds', TITLE, 'second')]);
    expect(await isWriter('second')).toBe(true);
  });

  it('changes nothing on a no', async () => {
    wds.apply(LEASE);
    await expect(run({}, { isPossible: true, answer: false })).rejects.toThrow(
      TAKEOVER.declined(TITLE),
    );
    expect(await isWriter('first')).toBe(true);
  });

  it('requires --yes without a terminal', async () => {
    wds.apply(LEASE);
    await expect(run({})).rejects.toThrow(TAKEOVER.noTerminal('wds', TITLE, 'second'));
    expect(await isWriter('first')).toBe(true);
  });

  it('does not ask with --yes', async () => {
    wds.apply(LEASE);
    await run({ yes: true }, { isPossible: true, answer: false });
    expect(questions).toEqual([]);
    expect(await isWriter('second')).toBe(true);
  });

  it('names the contexts if the given one does not exist', async () => {
    await expect(run({ context: 'wsd' })).rejects.toThrow(/wsd.*wds, dead/);
  });

  it('reports an API server that does not answer', async () => {
    const error = String(await run({ context: 'dead' }).catch((fault: unknown) => fault));
    const { 1: fault = '' } = /^InputError: dead: (.*ECONNREFUSED.*): check that/.exec(error) ?? [];
    expect(error).toBe(`InputError: ${TAKEOVER.unavailable('dead', fault)}`);
    expect(fault).toMatch(/^API server unavailable: /);
  });
});

describe('a takeover', () => {
  const MEANWHILE = TAKEOVER.changed('wds');
  const denial = new ApiForbiddenError('update leases', 'leases is forbidden');

  function takeoverOf(api: Partial<Takeover['api']>): Takeover {
    const cluster = createMemoryCluster(() => 'uid');
    cluster.apply(WRITER_LEASE, LEASE);
    const { get, create, replace } = cluster.api;
    const confirmed = async (): Promise<boolean> => true;
    const used = { get, create, replace, ...api };
    return { context: 'wds', api: used, identity: 'second', runsAs: 'x', confirmed, nowMs: NOW_MS };
  }

  it('does not replace a writer that took the cluster in the meantime', async () => {
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

  it('does not replace a writer that marked the cluster first', async () => {
    const create = async (): Promise<never> => {
      throw new ApiConflictError('create leases', 'exists');
    };
    const takeover = takeoverOf({ get: async () => undefined, create });
    await expect(takeOver(takeover)).rejects.toThrow(MEANWHILE);
  });

  it.each(['get', 'replace'] as const)('must be allowed to %s', async (verb) => {
    const forbidden = async (): Promise<never> => Promise.reject(denial);
    await expect(takeOver(takeoverOf({ [verb]: forbidden }))).rejects.toThrow(
      TAKEOVER.forbidden('wds', denial.message),
    );
  });
});

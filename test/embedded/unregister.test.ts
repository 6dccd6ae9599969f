import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { IN_STATE } from '#local/cli/register/messages.ts';
import { startSimulatedCluster } from '#local/simulated-cluster/simulated-cluster.ts';
import { takesEvents } from '#local/start/messages.ts';
import { createHttpEventQueue } from '#shared/adapters/http/event-queue.ts';
import { epochAt } from '#shared/core/epoch.ts';
import type { EventContent } from '#shared/core/event.ts';
import { encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import { tokenOf, writeTokens } from '#test/fakes/token-file.ts';
import { PACKAGED_STARFOLD } from '#test/packaged-command.ts';
import { writeKubeconfig } from './kubeconfig-file.ts';
import { BINDING, DEPLOYMENT, statusWith, WEB } from './objects.ts';
import { type StartProcess, type Workbench, workbench } from './start-process.ts';

const run = promisify(execFile);
const MINUTE_MS = 60_000;

/** The forwarder of a WEC, whose clock is ahead by a number of minutes. */
class Forwarder {
  readonly #name: string;
  readonly #queue;
  readonly #epoch: number;
  #sequence = 0;

  constructor(
    bench: Workbench,
    { url, name, ahead = 0 }: { readonly url: string; readonly name: string; ahead?: number },
  ) {
    const tokenFile = bench.file(`token-${name}`);
    writeFileSync(tokenFile, tokenOf(`wec/${name}`));
    this.#name = name;
    this.#queue = createHttpEventQueue({ url, tokenFile });
    this.#epoch = epochAt(Date.now() + ahead * MINUTE_MS);
  }

  async #send(...contents: readonly EventContent[]): Promise<void> {
    const events = contents.map((content) => {
      this.#sequence += 1;
      return encodeEvent({
        source: { type: 'wec', name: this.#name },
        version: { epoch: this.#epoch, sequence: this.#sequence },
        time: new Date().toISOString(),
        content,
      });
    });
    await this.#queue.send([{ body: encodeBatch(events) }]);
  }

  /** Lists the WEC, in which so many replicas of the Deployment are available. */
  async lists(available: number): Promise<void> {
    const status = statusWith(available);
    const returned = {
      ...{ uid: `web-${this.#name}`, generation: 1 },
      ...{ spec: { replicas: 2 }, status },
    };
    const since = { epoch: this.#epoch, sequence: this.#sequence + 1 };
    await this.#send(
      { type: 'heartbeat' },
      { type: 'wec-object', wds: 'wds', subject: WEB, first: true, returned },
      { type: 'snapshot', since },
    );
  }
}

/** Removes edge1 from a state file, in a process of its own. */
async function unregister(state: string): Promise<void> {
  const args = ['unregister', 'wec/edge1', '--state', state, '--yes'];
  const { stdout, stderr } = await run(process.execPath, [PACKAGED_STARFOLD, ...args]);
  const source = { type: 'wec', name: 'edge1' } as const;
  expect({ stdout, stderr }).toEqual({
    stdout: `wec/edge1: ${IN_STATE.removed(source)}\n`,
    stderr: '',
  });
}

const READY = {
  both: / wds deployments.apps shop\/web: ready 2\/2, /,
  one: / wds deployments.apps shop\/web: ready 1\/2, /,
  // Its Binding names two WECs, and one of them has reported nothing.
  none: / wds deployments.apps shop\/web: ready 0\/2, /,
} as const;

test('a removed WEC leaves the results, whether the stack runs or not, and a successor with an older epoch is recorded', async () => {
  await using bench = workbench();
  const wds = await startSimulatedCluster({ name: 'wds' });
  wds.apply(DEPLOYMENT);
  wds.apply(BINDING);
  const kubeconfig = writeKubeconfig(bench.file('kubeconfig.yaml'), { wds: wds.url });
  const tokens = writeTokens(bench.file('tokens.yaml'), ['wec/edge1', 'wec/edge2']);
  const state = bench.file('state.sqlite');
  const start = (): StartProcess =>
    bench.start(
      ...['--state', state, '--kubeconfig', kubeconfig, '--wds', 'wds'],
      ...['--listen', '0', '--tokens', tokens],
    );
  try {
    const first = start();
    const url = (await first.line(` listen: ${takesEvents('')}`)).split(' ').at(-1) ?? '';
    await new Forwarder(bench, { url, name: 'edge2' }).lists(2);
    await new Forwarder(bench, { url, name: 'edge1', ahead: 50 }).lists(2);
    await first.line(READY.both);
    const at = first.count();
    await unregister(state);
    await first.line(READY.none, at);
    await new Forwarder(bench, { url, name: 'edge1' }).lists(1);
    await first.line(READY.one, at);
    first.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    await unregister(state);
    await start().line(READY.none);
  } finally {
    await wds.close();
  }
});

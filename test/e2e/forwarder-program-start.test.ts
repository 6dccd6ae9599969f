import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { clusters } from './clusters.ts';
import { runProgram } from './program-child.ts';
import {
  eventuallyReady,
  eventuallySays,
  type ProgramWorld,
  startProgramWorld,
} from './program-world.ts';
import { startTcpProxy } from './tcp-proxy.ts';

const { wec1, kubeconfigPath } = clusters();
let world: ProgramWorld;

beforeAll(async () => {
  world = await startProgramWorld('forwarder-program-start');
});
afterEach(() => world.clear());
afterAll(() => world.dispose());

describe('the program at its start', () => {
  it('waits for an API server that is down', async () => {
    await world.create('early');
    const proxy = await startTcpProxy(wec1.server);
    await proxy.cut();
    const kubeconfig = join(world.folder, 'kubeconfig');
    const text = await readFile(kubeconfigPath, 'utf8');
    await writeFile(kubeconfig, text.replaceAll(wec1.server, proxy.server));
    const program = await world.start('early', { kubernetes: { kubeconfig, context: 'wec1' } });
    await eventuallySays(program, '/readyz', /^\[-\]election: Lease .*ECONNREFUSED/);
    expect((await program.ask('/healthz')).status).toBe(200);
    await proxy.restore();
    await eventuallyReady(program);
    await proxy.cut();
    await eventuallySays(program, '/readyz', /^\[-\]/);
  });

  it('waits for a queue that is down', async () => {
    const set = await world.create('unheard');
    await set(4);
    await world.sink.down();
    const program = await world.start('unheard');
    await eventuallySays(program, '/readyz', /^\[-\]queue: .*ECONNREFUSED.*; check the queue/);
    expect(await program.metric('send_failures_total')).toBeGreaterThan(0);
    await world.sink.up();
    await eventuallyReady(program);
    await world.eventuallyReplicas('unheard', 4);
  });

  it('refuses a configuration with faults, and says how it has to be', async () => {
    const program = await world.start('wrong', { heartbeatSecs: 5, queue: {} });
    expect(await program.ended).toBe(2);
    expect(program.log()).toEqual([]);
    expect(program.stderr().trim().split('\n')).toEqual([
      expect.stringMatching(/config-\d+\.yaml:\d+: queue: must have exactly one of sqs and http/),
      expect.stringMatching(
        /yaml:\d+: heartbeatSecs: is not known here: did you mean heartbeatSeconds/,
      ),
    ]);
  });

  it('refuses a context that the kubeconfig does not have', async () => {
    const program = await world.start('wrong', {
      kubernetes: { kubeconfig: kubeconfigPath, context: 'nowhere' },
    });
    expect(await program.ended).toBe(2);
    expect(program.stderr()).toContain('there is no context nowhere: use one of: ');
  });

  it('ends where its port is in use', async () => {
    const port = Number(new URL(world.sink.url).port);
    const program = await world.start('wrong', { server: { port, host: '127.0.0.1' } });
    expect(await program.ended).toBe(1);
    expect(program.log().at(-1)).toMatchObject({
      level: 'ERROR',
      message: expect.stringContaining(`cannot listen on 127.0.0.1 port ${port} (EADDRINUSE)`),
    });
  });

  it.each([
    ['--help', 0, /^Usage: event-forwarder/],
    ['--version', 0, /^\d+\.\d+\.\d+\n$/],
    ['--check', 2, /^error: required option '--config <file>' not specified/],
  ])('with %s alone ends with %i', async (option, code, says) => {
    const program = runProgram([option]);
    expect(await program.ended).toBe(code);
    expect(code === 0 ? program.stdout() : program.stderr()).toMatch(says);
  });

  it('only looks at the configuration with --check', async () => {
    const good = join(world.folder, 'checked.yaml');
    await writeFile(
      good,
      `source: {type: wds, name: wds1}\nqueue: {http: {url: ${world.sink.url}, tokenFile: ${join(world.folder, 'token')}}}\n`,
    );
    const program = runProgram(['--config', good, '--check']);
    expect(await program.ended).toBe(0);
    expect(program.stdout()).toBe(`${good}: the configuration is good\n`);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { readiness } from '#functions/event-forwarder/program/checks.ts';
import { type ForwarderConfig, parseConfig } from '#functions/event-forwarder/program/config.ts';
import type { ProgramLog } from '#functions/event-forwarder/program/log.ts';
import { Program } from '#functions/event-forwarder/program/program.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { FakeCluster } from '#test/fakes/fake-cluster.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';
import { LeaseWorld, NOW } from '#test/unit/event-forwarder/leader-election-candidate.ts';

const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const YAML = `
source: {type: wec, name: c1, wds: wds1, select: {resources: [deployments.apps/v1]}}
queue: {sqs: {url: "https://sqs.eu-central-1.amazonaws.com/111122223333/events"}}
`;

let world: LeaseWorld;
let cluster: FakeCluster;
let queue: SentMessages;
let lines: string[];
/** The fields of each line. */
let details: string[];
let stopping: AbortController;
/** Milliseconds for which the process was frozen. */
let frozenMs: number;

function configured(more: string, yaml: string): ForwarderConfig {
  const reading = parseConfig('f.yaml', `${yaml}${more}`);
  if (!reading.ok) throw new Error(reading.faults.join('\n'));
  return reading.config;
}

function logOf(prefix: string): ProgramLog {
  let epoch: number | undefined;
  const write = (message: string, fields: object): void => {
    lines.push(`${prefix}${epoch === undefined ? '' : ` ${epoch}`}: ${message}`);
    details.push(JSON.stringify(fields));
  };
  return {
    info: write,
    warn: write,
    error: write,
    setEpoch: (next) => {
      epoch = next;
    },
  };
}

function run(more = '', yaml = YAML) {
  const { time, api } = world;
  const program = new Program({
    config: configured(more, yaml),
    connections: { api: cluster, leaseApi: api, queue },
    identity: 'pod-1',
    log: logOf('pod-1'),
    clock: time.clock,
    monotonic: () => time.clock() - NOW + frozenMs,
    sleep: time.sleep,
    random: () => 0.5,
  });
  return { program, ended: program.run(stopping.signal) };
}

function deployment(replicas: number): JsonObject {
  const metadata = { namespace: 'default', name: 'web', uid: 'uid-web' };
  return { kind: 'Deployment', metadata, status: { replicas } };
}

function logged(text: string): readonly string[] {
  return lines.filter((line) => line.includes(text));
}

beforeEach(() => {
  world = new LeaseWorld();
  cluster = new FakeCluster();
  cluster.serve({ ...DEPLOYMENTS, kind: 'Deployment', namespaced: true, statusSubresource: true });
  queue = new SentMessages();
  lines = [];
  details = [];
  stopping = new AbortController();
  frozenMs = 0;
});

describe('the process', () => {
  it('forwards in the epoch of its Lease, and names it in its log until it ends', async () => {
    cluster.put(DEPLOYMENTS, deployment(1));
    const { program, ended } = run();
    await world.time.advance(1_000);
    const epoch = program.status().term?.epoch;
    expect(epoch).toBe((NOW / 1_000) * 2 ** 20);
    expect(new Set(queue.events().map(({ version }) => version.epoch))).toEqual(new Set([epoch]));
    expect(logged('leading')).toEqual([`pod-1 ${epoch}: leading`]);
    expect(logged('ready').at(-1)).toBe(`pod-1 ${epoch}: ready`);
    stopping.abort();
    await world.time.advance(1_000);
    await ended;
    expect(lines.at(-1)).toBe(`pod-1 ${epoch}: no longer leading`);
    expect(program.status()).toMatchObject({ stopping: true, election: { role: 'candidate' } });
    expect(program.status().term).toBeUndefined();
    expect(world.holder()).toBe('');
  });

  it('sends nothing once its time as leader is over, though it has not noticed yet', async () => {
    const { program } = run();
    await world.time.advance(1_000);
    queue.mode = 'lost';
    cluster.put(DEPLOYMENTS, deployment(2));
    await world.time.advance(400);
    const { length } = queue.sends;
    expect(length).toBeGreaterThan(1);
    frozenMs = 60_000;
    queue.mode = 'accept';
    // The renewal that would notice is still a moment off.
    await world.time.advance(500);
    expect(queue.sends).toHaveLength(length);
    expect(program.status().term).toBeDefined();
    stopping.abort();
    await world.time.advance(30_000);
  });

  it('leaves what is unsent to the next leader when it has lost the Lease', async () => {
    const { program } = run('leaderElection: {name: forwarder}');
    await world.time.advance(1_000);
    queue.mode = 'lost';
    cluster.put(DEPLOYMENTS, deployment(2));
    await world.time.advance(400);
    world.edit({ holderIdentity: 'pod-2', leaseTransitions: 1 });
    await world.time.advance(4_000);
    expect(program.status().term).toBeUndefined();
    expect(logged('no longer leading')).toHaveLength(1);
    queue.mode = 'accept';
    queue.bodies.length = 0;
    await world.time.advance(5_000);
    expect(queue.bodies).toEqual([]);
    expect(program.status().election).toMatchObject({ role: 'candidate', holder: 'pod-2' });
    stopping.abort();
  });

  it('sends the unsent events when it is asked to stop, for the configured time', async () => {
    const { program, ended } = run('shutdownSeconds: 20');
    await world.time.advance(1_000);
    queue.mode = 'lost';
    cluster.put(DEPLOYMENTS, deployment(2));
    await world.time.advance(400);
    stopping.abort();
    await world.time.advance(3_000);
    expect(program.status().term).toBeDefined();
    expect(world.holder()).toBe('pod-1');
    queue.mode = 'accept';
    await world.time.advance(10_000);
    await ended;
    expect(queue.events().some(({ content }) => content.type === 'wec-object')).toBe(true);
    expect(world.holder()).toBe('');
  });

  it('ends after that time, whatever is unsent', async () => {
    const { ended } = run('shutdownSeconds: 5');
    await world.time.advance(1_000);
    queue.mode = 'lost';
    cluster.put(DEPLOYMENTS, deployment(2));
    await world.time.advance(400);
    stopping.abort();
    await world.time.advance(6_000);
    await ended;
    expect(world.holder()).toBe('');
  });

  it('without an election takes its epoch from the clock, and no Lease', async () => {
    const { program, ended } = run('leaderElection: {enabled: false}');
    await world.time.advance(1_000);
    expect(program.status().term?.epoch).toBe((NOW / 1_000) * 2 ** 20);
    expect(world.lease()).toBeUndefined();
    expect(logged('ready').at(-1)).toMatch(/: ready$/);
    stopping.abort();
    await world.time.advance(1_000);
    await ended;
  });

  it('logs what keeps it from being ready once, however often it fails', async () => {
    run();
    await world.time.advance(1_000);
    queue.mode = 'lost';
    const before = logged('not ready').length;
    for (let replicas = 2; replicas < 9; replicas += 1) {
      cluster.put(DEPLOYMENTS, deployment(replicas));
      await world.time.advance(4_000);
    }
    expect(logged('not ready')).toHaveLength(before + 1);
    stopping.abort();
  });

  it('names the resource that was probably meant if a configured one is not served', async () => {
    const wanted = YAML.replace('deployments.apps/v1', 'deployment.apps/v1');
    const { program } = run('', wanted);
    await world.time.advance(8_000);
    const says = /deployment\.apps\/v1.*did you mean deployments\.apps\/v1\?/;
    const told = details.filter((text) => text.includes('not served'));
    expect(told.length).toBeGreaterThan(0);
    expect(told.filter((text) => !says.test(text))).toEqual([]);
    expect(JSON.stringify(readiness(program.status()))).toMatch(says);
    stopping.abort();
  });

  it('counts failures and what was sent', async () => {
    const { program } = run();
    queue.mode = 'lost';
    await world.time.advance(500);
    queue.mode = 'accept';
    await world.time.advance(2_000);
    const { text } = await program.metrics.text();
    expect(text).toMatch(/^starfold_forwarder_send_failures_total [1-9]/m);
    expect(text).toMatch(/^starfold_forwarder_snapshots_total 1$/m);
    stopping.abort();
  });
});

it.each([
  ['SQS', YAML, 199],
  [
    'HTTP',
    YAML.replace(
      /^queue:.*$/m,
      `queue: {http: {url: 'http://127.0.0.1:1', tokenFile: ${import.meta.filename}}}`,
    ),
    0,
  ],
])('lets events gather for %s no longer than that is worth', async (_what, yaml, waitsMs) => {
  const { ended } = run('', yaml);
  await world.time.settle();
  if (waitsMs > 0) {
    await world.time.advance(waitsMs);
    expect(queue.bodies).toEqual([]);
    await world.time.advance(1);
  }
  await world.time.settle();
  expect(queue.bodies.length).toBeGreaterThan(0);
  stopping.abort();
  await world.time.advance(60_000);
  await ended;
});

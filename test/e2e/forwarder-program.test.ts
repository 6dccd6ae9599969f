import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { leaseRef } from '#functions/event-forwarder/lease.ts';
import { at } from '#shared/core/json.ts';
import { clusters, read } from './clusters.ts';
import { edit } from './controls.ts';
import {
  eventuallyReady,
  eventuallySays,
  PATIENCE,
  type ProgramWorld,
  startProgramWorld,
  TOKEN,
} from './program-world.ts';

const namespace = 'forwarder-program';
const { wec1 } = clusters();
let world: ProgramWorld;

beforeAll(async () => {
  world = await startProgramWorld(namespace);
});
afterEach(() => world.clear());
afterAll(() => world.dispose());

/** The Lease of the programs of a name. */
const leaseOf = (name: string) => leaseRef({ namespace, name: `event-forwarder-wec-${name}` });

describe('the program', () => {
  it('tells of its cluster, is ready, and gives the Lease back on SIGTERM', async () => {
    const set = await world.create('plain');
    await set(1);
    const program = await world.start('plain');
    await eventuallyReady(program);
    await set(2);
    await world.eventuallyReplicas('plain', 2);
    expect(world.sink.tokens).toContain(`Bearer ${TOKEN}`);
    expect(await program.metric('leader')).toBe(1);
    expect(await program.metric('objects')).toBe(1);
    expect((await program.ask('/readyz?verbose')).text).toContain(
      '[+]deployments.apps/v1: watching',
    );
    const epoch = await program.metric('epoch');
    program.kill('SIGTERM');
    expect(await program.ended).toBe(0);
    expect(at(await read(wec1, leaseOf('plain')), 'spec', 'holderIdentity') ?? '').toBe('');
    const leading = program.log().find(({ message }) => message === 'leading');
    expect(leading).toMatchObject({ level: 'INFO', source: 'wec/plain', epoch });
    expect(leading?.['identity']).toMatch(/^\S+_[0-9a-f-]{36}$/);
    expect(program.stderr()).toBe('');
    expect(JSON.stringify(program.log())).not.toContain(TOKEN);
  });

  it('sends what it has seen when SIGTERM comes in the middle of changes', async () => {
    const set = await world.create('busy');
    const program = await world.start('busy');
    await eventuallyReady(program);
    // One request is on its way while the next changes gather.
    world.sink.delay(1_500);
    await set(1);
    await set(2);
    await vi.waitFor(async () => {
      await set(3);
      expect(await program.metric('unsent_events')).toBeGreaterThan(0);
    }, PATIENCE);
    program.kill('SIGTERM');
    // A request may overtake the signal.
    await eventuallySays(program, '/readyz', /is stopping/);
    expect(await program.ended).toBe(0);
    expect(world.replicasOf('busy')).toBe(3);
    expect(program.log().at(-2)).toMatchObject({ message: 'no longer leading', unsent: 0 });
  });

  it('waits for a queue that is down no longer than it is told to, and a second signal ends it at once', async () => {
    const set = await world.create('stuck');
    const setOther = await world.create('stuck2');
    const [patient, hurried] = [
      await world.start('stuck', { shutdownSeconds: 1 }),
      await world.start('stuck2', { shutdownSeconds: 600 }),
    ];
    await eventuallyReady(patient);
    await eventuallyReady(hurried);
    await world.sink.down();
    await set(1);
    await setOther(1);
    for (const program of [patient, hurried]) {
      await eventuallySays(program, '/readyz', /\[-\]queue: .*connect ECONNREFUSED/);
      program.kill('SIGTERM');
    }
    expect(await patient.ended).toBe(0);
    await eventuallySays(hurried, '/readyz', /is stopping/);
    hurried.kill('SIGTERM');
    expect(await hurried.ended).toBe(143);
  });

  it('that was killed goes on where the cluster is, in a greater epoch', async () => {
    const set = await world.create('killed');
    const first = await world.start('killed');
    await eventuallyReady(first);
    const epoch = await first.metric('epoch');
    await set(1);
    await world.eventuallyReplicas('killed', 1);
    const changes = (async () => {
      for (let replicas = 2; replicas <= 30; replicas += 1) await set(replicas);
    })();
    await vi.waitFor(() => expect(world.replicasOf('killed')).toBeGreaterThan(1), PATIENCE);
    first.kill('SIGKILL');
    await changes;
    expect(await first.ended).toBe('SIGKILL');
    const second = await world.start('killed');
    await world.eventuallyReplicas('killed', 30);
    await eventuallyReady(second);
    expect(await second.metric('epoch')).toBeGreaterThan(epoch);
  });

  it('stops telling when another holder has taken the Lease, and leads again when that is gone', async () => {
    const set = await world.create('ousted');
    const program = await world.start('ousted');
    await eventuallyReady(program);
    const epoch = await program.metric('epoch');
    await edit(wec1, leaseOf('ousted'), {
      spec: { holderIdentity: 'somebody', leaseDurationSeconds: 2 },
    });
    await eventuallySays(program, '/readyz?verbose', /standby, somebody leads/);
    expect(await program.metric('leader')).toBe(0);
    const ended = program.log().find(({ message }) => message === 'no longer leading');
    expect(ended).toMatchObject({ stopped: false, epoch });
    await set(6);
    await eventuallyReady(program);
    await world.eventuallyReplicas('ousted', 6);
    expect(await program.metric('epoch')).toBeGreaterThan(epoch);
  });

  it('in two replicas leads once, and the other one takes over', async () => {
    const set = await world.create('pair');
    const first = await world.start('pair');
    await eventuallyReady(first);
    const second = await world.start('pair');
    await eventuallyReady(second);
    await eventuallySays(second, '/readyz?verbose', /standby/);
    expect(await second.metric('leader')).toBe(0);
    first.kill('SIGTERM');
    await set(5);
    expect(await first.ended).toBe(0);
    await vi.waitFor(async () => expect(await second.metric('leader')).toBe(1), PATIENCE);
    await world.eventuallyReplicas('pair', 5);
    await eventuallyReady(second);
  });
});

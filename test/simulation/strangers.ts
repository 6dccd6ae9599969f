import type { EventContent, EventSource, ForwarderEvent } from '#shared/core/event.ts';
import { encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import { encodeDeadLetter } from '#shared/messages/dead-letter.ts';
import { encodeRedriven } from '#shared/messages/redriven.ts';
import { principalFor, REDRIVER } from './queues.ts';
import type { Random } from './scheduler.ts';
import { HUB, type World } from './world.ts';

/** Later than anything that a forwarder of these histories says: believed, it would stand for ever. */
const FORGED_EPOCH = 1_000;

function lie(world: World, source: EventSource): EventContent {
  const { random } = world.scheduler;
  const since = { epoch: FORGED_EPOCH, sequence: 0 };
  const gone = world.wds.objects().map(({ ref }) => ref);
  const contents: EventContent[] = [{ type: 'snapshot', since }, { type: 'heartbeat' }];
  const inventory = { labels: { region: 'forged' }, annotations: {} };
  if (source.type === 'wec')
    contents.push(
      { type: 'inventory', inventory },
      { type: 'inventory', hub: HUB, inventory },
      { type: 'hub-snapshot', since },
    );
  for (const { group, resource, namespace, name } of gone) {
    const subject = { group, resource, namespace, name };
    contents.push(
      source.type === 'wds'
        ? { type: 'wds-object', subject, first: true }
        : {
            type: 'wec-object',
            wds: 'wds1',
            subject,
            first: true,
            returned: { uid: 'forged', generation: 1, status: { replicas: 99 } },
          },
    );
  }
  return random.pick(contents);
}

/** In what a lie may come: as it is, or as if somebody trusted had brought it. */
export function wrapped(random: Random, body: string, victim: EventSource): string {
  const senderId = `${principalFor(victim)}:forwarder`;
  const redriven = encodeRedriven({ senderId, body }) ?? body;
  return random.pick([
    body,
    redriven,
    encodeRedriven({ senderId: `${REDRIVER}:sweep-stale`, body: redriven }) ?? body,
    encodeDeadLetter({ code: 'forged-sender', reasons: [], senderId, body }) ?? body,
  ]);
}

/**
 * Somebody speaks for a source who may not: a stranger, or the forwarder of another source. A lie may come in company of
 * what its sender may say, a heartbeat: then nothing in the message counts.
 */
export function forge(world: World): void {
  const { random } = world.scheduler;
  const sources = world.forwarders.map(({ source }) => source);
  const victim = random.pick(sources);
  // The forwarder of the hub may speak for every WEC.
  const others = world.forwarders
    .filter(({ source, isHub }) => source !== victim && !isHub)
    .map(({ source }) => source);
  const time = new Date(world.scheduler.now).toISOString();
  const say = (source: EventSource, epoch: number, content: EventContent): ForwarderEvent => ({
    source,
    version: { epoch, sequence: 1 + random.below(5) },
    time,
    content,
  });
  const deliver = (events: readonly ForwarderEvent[], senderId: string): void => {
    const body = wrapped(random, encodeBatch(events.map(encodeEvent)), victim);
    void world.queues.events.sentBy(senderId).send([{ body }]);
  };
  const events = [say(victim, FORGED_EPOCH, lie(world, victim))];
  if (random.chance(0.5)) {
    deliver(events, 'AROA-stranger:session');
    return;
  }
  const liar = random.pick(others);
  if (liar.type === 'wec' && random.chance(0.2)) {
    // A WEC has no say in what ManagedClusters there are, not even its own.
    const inventory = { labels: { region: 'forged' }, annotations: {} };
    deliver(
      [say(liar, FORGED_EPOCH, { type: 'inventory', hub: HUB, inventory })],
      `${principalFor(liar)}:f`,
    );
    return;
  }
  // Older than any heartbeat of its forwarder: it says nothing new.
  if (random.chance(0.5)) events.push(say(liar, 0, { type: 'heartbeat' }));
  deliver(events, `${principalFor(liar)}:forwarder`);
}

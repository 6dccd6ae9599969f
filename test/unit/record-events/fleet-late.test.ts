import { beforeEach, describe, expect, it } from 'vitest';
import { recordEvents } from '#functions/record-events/use-case.ts';
import type { ForwarderEvent } from '#shared/core/event.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { contactKey, readContacts } from '#shared/state/fleet/contacts.ts';
import { jobKey, readNewestJob } from '#shared/state/fleet/fleet-rows.ts';
import { versionText } from '#shared/state/keys.ts';
import {
  cluster,
  FLEET_SOURCE,
  fleetObject,
  NAMESPACE,
  says,
  UPSTREAM,
} from '#test/unit/protocol/fleet-events.ts';
import { interrupted, type Moment, Pipeline } from '#test/unit/protocol/pipeline.ts';

const DAY_SECONDS = 86_400;

let pipeline: Pipeline;
beforeEach(() => {
  pipeline = new Pipeline();
});

const killed = (): Promise<void> => Promise.reject(new Error('killed'));

/** The end of a complete listing that began with this epoch. */
function listed(epoch: number): ForwarderEvent {
  return pipeline.event(FLEET_SOURCE, { type: 'snapshot', since: { epoch, sequence: 0 } }, epoch);
}

/** Records an event while something else happens. */
async function recordAround(
  event: ForwarderEvent,
  moment: Moment,
  happening: () => Promise<void>,
): Promise<void> {
  const { dirty, hints, specs, clock } = pipeline.aggregateDeps();
  const store = interrupted(pipeline.store, moment, happening);
  await recordEvents({ store, dirty, hints, specs, clock }, [event]);
}

describe('a Cluster of which an event is older than the last complete listing', () => {
  const LATELY = '2026-01-01T00:00:00Z';
  const shown = (epoch = 1) =>
    pipeline.event(
      FLEET_SOURCE,
      says('clusters', 'c1', { object: cluster('c1', LATELY), ownedHash: 'f' }),
      epoch,
    );
  const GONE = {
    name: `${NAMESPACE}/c1`,
    version: versionText({ epoch: 2, sequence: 0 }),
    lastSeen: undefined,
  };

  it('has no contact: nobody looks whether it is silent', async () => {
    const late = shown();
    await pipeline.record(listed(2));
    await pipeline.record(late);
    expect(await readContacts(pipeline.store, UPSTREAM)).toEqual([GONE]);
    const [item] = await pipeline.store.get([contactKey(UPSTREAM, GONE.name)]);
    expect(item?.expiresAt).toBeDefined();
  });

  it('has none also if the listing ends while the event is recorded', async () => {
    const contact: Moment = { call: 'put', sk: GONE.name, when: 'after' };
    await recordAround(shown(), contact, () => pipeline.record(listed(2)));
    expect(await readContacts(pipeline.store, UPSTREAM)).toEqual([GONE]);
  });

  it('keeps the contact that was reported since', async () => {
    const late = shown();
    await pipeline.record(listed(2), shown(2));
    await pipeline.record(late);
    expect(await readContacts(pipeline.store, UPSTREAM)).toMatchObject([{ lastSeen: LATELY }]);
  });
});

describe('whether Jobs of a GitRepo are known', () => {
  const ONE = fleetObject('gitrepos', 'one');
  const job = (owner: string): JsonObject => ({
    kind: 'Job',
    metadata: {
      name: 'j',
      namespace: NAMESPACE,
      ownerReferences: [{ kind: 'GitRepo', name: owner }],
    },
  });
  const shown = (object?: JsonObject) =>
    pipeline.event(FLEET_SOURCE, says('jobs', 'j', object === undefined ? {} : { object }));

  it('does not end with the tombstones of those that are gone', async () => {
    await pipeline.record(shown(job('one')));
    await pipeline.record(shown());
    const key = jobKey(ONE, 'j');
    const [tombstone] = await pipeline.store.get([key]);
    expect(tombstone).toMatchObject({ expiresAt: DAY_SECONDS });
    await pipeline.store.delete([{ key }]);
    expect(await readNewestJob(pipeline.store, ONE)).toBeNull();
  });

  it('is recorded before the first of them is stored, and permanently', async () => {
    const row: Moment = { call: 'put', sk: jobKey(ONE, 'j').sk, when: 'before' };
    await expect(recordAround(shown(job('one')), row, killed)).rejects.toThrow('killed');
    expect(await readNewestJob(pipeline.store, ONE)).toBeNull();
    const { pk } = jobKey(ONE, 'j');
    const [known] = await pipeline.store.get([{ pk, sk: 'JOBS' }]);
    expect(known).toEqual({ pk, sk: 'JOBS' });
  });

  it('is said of the GitRepo that owns one, and of no other', async () => {
    await pipeline.record(shown(job('one')));
    expect(await readNewestJob(pipeline.store, fleetObject('gitrepos', 'two'))).toBeUndefined();
    await pipeline.record(shown(job('two')));
    expect(await readNewestJob(pipeline.store, fleetObject('gitrepos', 'two'))).toEqual(job('two'));
    expect(await readNewestJob(pipeline.store, ONE)).toBeNull();
  });
});

import { expect, it } from 'vitest';
import { recordEvents } from '#functions/record-events/use-case.ts';
import type { Door } from '#local/cli/door/door.ts';
import { openLiveDoor } from '#local/cli/door/live-door.ts';
import { NOT_SERVED_REMEDIES, notServed, severalUpstreams } from '#local/cli/door/messages.ts';
import { openStageDoor } from '#local/cli/door/stage-door.ts';
import { openStateDoor } from '#local/cli/door/state-door.ts';
import { runGet } from '#local/cli/get/run.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { bundleDeploymentStatuses } from '#shared/api/bundle-deployments.ts';
import { any } from '#shared/api/resources.ts';
import { createFleetSource } from '#shared/state/fleet/fleet-source.ts';
import { heartbeatItem } from '#shared/state/heartbeats.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { FakeStatusSource } from '#test/fakes/status-source.ts';
import { AskedApi } from '#test/unit/api/ask.ts';
import { kubeconfigFor, Place, serve } from '#test/unit/local/cli/door/doors.ts';
import {
  deployment,
  deploymentsOf,
  FLEET_SOURCE,
  says,
  UPSTREAM,
} from '#test/unit/protocol/fleet-events.ts';
import { createFakeAccount } from '../deployment/fake-account.ts';
import { doorOver, KeptTerminal, WAITING } from './got.ts';

const NOW_MS = Date.parse('2026-11-25T10:00:00Z');
const INSECURE = { 'insecure-skip-tls-verify': true };
const nobody = { send: async () => undefined };

/** The state file of `starfold start --fleet`, with a BundleDeployment. */
async function fleetState(place: Place) {
  const file = place.file('state.sqlite');
  const database = openSqliteDatabase(file);
  place.later(() => database.close());
  const store = createSqliteItemStore(database);
  const version = { epoch: 1, sequence: 1 };
  await store.put([{ item: heartbeatItem(FLEET_SOURCE, version, NOW_MS) }]);
  const object = deployment('web', 'a');
  const content = says('bundledeployments', 'web', { namespace: deploymentsOf('a'), object });
  const time = new Date(NOW_MS).toISOString();
  await recordEvents(
    { store, specs: createSpecStore(store), dirty: nobody, hints: nobody, clock: () => NOW_MS },
    [{ source: FLEET_SOURCE, version, time, content, changedMs: NOW_MS }],
  );
  return { file, store };
}

async function got(door: Door, ...args: readonly string[]): Promise<string> {
  const kept = new KeptTerminal();
  const { signal } = new AbortController();
  const options = { allNamespaces: true, chunkSize: 500, output: 'name' } as const;
  await runGet(args, options, { door, terminal: kept.terminal, signal, waiting: WAITING });
  await door.close();
  return kept.out;
}

const NAMED = 'bundledeploymentstatus.status.starfold.dev/web\n';

it('starfold get reads BundleDeployments from the state file of a management cluster', async () => {
  await using place = new Place();
  const { file } = await fleetState(place);
  const open = () => openStateDoor({ state: file, clock: () => NOW_MS });
  for (const word of ['bdst', 'bundledeploymentstatuses'])
    expect(await got(await open(), word)).toBe(NAMED);
  await expect(got(await open(), 'wecst')).rejects.toThrow(
    notServed(file, 'wecstatuses', NOT_SERVED_REMEDIES.notOfFleet('bundledeploymentstatuses')),
  );
});

it('starfold get reads BundleDeployments from the table of a deployment', async () => {
  await using place = new Place();
  const { store } = await fleetState(place);
  const account = { ...createFakeAccount(), itemStore: () => store };
  const open = (wds?: string) =>
    openStageDoor({ stage: 'prod', account, clock: () => NOW_MS, ...(wds && { wds }) });
  expect(await got(await open(), 'bdst')).toBe(NAMED);
  const version = { epoch: 1, sequence: 1 };
  const beat = (type: 'wds' | 'fleet', name: string) =>
    store.put([{ item: heartbeatItem({ type, name }, version, NOW_MS) }]);
  await beat('fleet', 'other');
  await expect(open()).rejects.toThrow(severalUpstreams('starfold-prod', ['other', UPSTREAM]));
  await beat('wds', 'wds1');
  expect(await got(await open(UPSTREAM), 'bdst')).toBe(NAMED);
  expect(await got(await open('other'), 'bdst')).toBe('');
  await expect(got(await open(), 'bdst')).rejects.toThrow(
    notServed('starfold-prod', 'bundledeploymentstatuses', NOT_SERVED_REMEDIES.ofFleet),
  );
});

it('starfold get reads BundleDeployments from a server', async () => {
  await using place = new Place();
  const { store } = await fleetState(place);
  const source = createFleetSource({ store, upstream: UPSTREAM, clock: () => NOW_MS });
  const resources = [any(bundleDeploymentStatuses(source))];
  const { url } = await serve(place, new AskedApi({ source, resources }));
  expect(
    await got(
      openLiveDoor({ kubeconfig: kubeconfigFor(place, url, { cluster: INSECURE }) }),
      'bdst',
    ),
  ).toBe(NAMED);
});

it('starfold get says where BundleDeployments are if a server has none', async () => {
  await expect(got(doorOver(new FakeStatusSource()), 'bdst')).rejects.toThrow(
    notServed('memory', 'bundledeploymentstatuses', NOT_SERVED_REMEDIES.ofFleet),
  );
});

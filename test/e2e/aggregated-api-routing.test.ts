/** An API server that asks the endpoints of Services, as with --enable-aggregator-routing, and a server at an IP address. */
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AggregatedWorld, APISERVICE } from './aggregated/world.ts';
import { eventually } from './controls.ts';

const START_TIMEOUT_MS = 180_000;
let world: AggregatedWorld;

/** An address of this machine that an EndpointSlice may have: an API server refuses loopback and link-local ones. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  const own = all.find(
    ({ family, internal, address }) =>
      family === 'IPv4' && !internal && !address.startsWith('169.254.'),
  );
  if (own === undefined)
    throw new Error('this test needs a network interface with an IPv4 address besides loopback');
  return own.address;
}

beforeAll(async () => {
  world = await AggregatedWorld.start('aggregated-routing', {
    service: 'service-by-address',
    host: ownAddress(),
    flags: { 'enable-aggregator-routing': 'true' },
  });
}, START_TIMEOUT_MS);

afterAll(() => world.dispose());

it('serves the API from the address in an EndpointSlice', async () => {
  const { stdout } = await world.kubectl(['get', 'apiservice', APISERVICE]);
  expect(stdout).toMatch(/starfold\/starfold-status +True/);
  // There are no Bindings, but the WECs report.
  await eventually(
    async () => (await world.kubectl(['get', 'wecs', '-o', 'name'])).stdout,
    'wec.status.starfold.dev/wec1\nwec.status.starfold.dev/wec2\n',
  );
  expect((await world.kubectl(['get', 'wecst', '-A'])).stderr).toContain('No resources found');
});

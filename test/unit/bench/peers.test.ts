import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fleet } from '#test/bench/peers/fleet.ts';
import { kubeStellar } from '#test/bench/peers/kubestellar.ts';
import { measurePeers, requireSame } from '#test/bench/peers/peer.ts';

const FIGURE = { section: 'A peer', what: 'one', value: 1, unit: 'ms' };

it('measures the peers that are there, and says of each of the others that it was left out, and why', async () => {
  const said: string[] = [];
  const there = { name: 'A peer', measure: async () => [FIGURE] };
  const peers = [kubeStellar(undefined), there, fleet(undefined)];
  expect(await measurePeers(peers, (line) => said.push(line))).toEqual([FIGURE]);
  expect(said).toEqual([
    "KubeStellar's resolver was left out: no folder with its sources was given: --kubestellar FOLDER",
    "Fleet's summary was left out: no folder with its sources was given: --fleet FOLDER",
  ]);
});

it.each([
  ['--kubestellar', 'pkg/status/combinedstatus-resolver.go', kubeStellar],
  ['--fleet', 'internal/cmd/controller/target/status.go', fleet],
])(
  'fails if the folder of %s has no sources, and names the missing file',
  async (option, file, peer) => {
    const folder = await mkdtemp(join(tmpdir(), 'starfold-peers-test-'));
    try {
      await expect(measurePeers([peer(folder)], () => undefined)).rejects.toThrow(
        `${option}: there is no ${file} in ${folder}: give the folder of a checkout`,
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);

it('fails if a peer makes another result of the same inputs', () => {
  expect(() => requireSame('the sum', [1], [1])).not.toThrow();
  expect(() => requireSame('the sum', [1], [2])).toThrow('the sum: [1] here, [2] in the peer');
});

/**
 * Measures what the design promises (section 10) and prints each figure beside its goal and a peer or bound of the same
 * run. Only the cost model fails: its figures follow from counted calls, the others depend on the machine and on what else
 * runs on it.
 *
 * `node test/bench/run.ts [--only] [fold|event|ask|console|fleet|embedded|fairness|resolution|forwarder|cost|prices|hostile|imports|command|latency|storm|scale|peers|aws-scale|profile] [--save TAG] [--minutes M] [--rows N] [--kubestellar FOLDER] [--fleet FOLDER] [--full | --wecs N] [--scenario steady|slow-wds|rollout|storm]... [--warm-reads N] [--warm-writes N] [--stack FOLDER]`;
 * TAG names a file in test/bench/results, of which `npm run performance` makes docs/performance.md; M is how long the rows of the
 * page change; N is the middle size of the tables of `scale`; each FOLDER has a checkout of a peer, which `peers` measures; `--full`
 * plays `aws-scale` with 10,000 WECs, `--wecs` with as many, and `--scenario` only the scenarios that are named; `--warm-reads` and
 * `--warm-writes` are units a second that its table can serve at once; `--stack` has a checkout of another commit with its dependencies,
 * which `profile` measures as well. The last six only run if they are named.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setup } from '#test/temporary-files.ts';
import { benchAsk } from './ask.bench.ts';
import { benchAskOnDynamoDb } from './ask-on-dynamodb.bench.ts';
import { benchAwsScale } from './aws-scale/aws-scale.bench.ts';
import { benchBindingResolution } from './binding-resolution.bench.ts';
import { benchCommand } from './command.bench.ts';
import { benchConsole } from './console.bench.ts';
import { benchCost } from './cost/cost.bench.ts';
import { benchEmbedded } from './embedded.bench.ts';
import { benchFairness } from './fairness.bench.ts';
import { type Figure, figuresText, reaches } from './figure.ts';
import { benchFleet } from './fleet.bench.ts';
import { benchFleetPipeline } from './fleet-pipeline.bench.ts';
import { benchForwarder } from './forwarder.bench.ts';
import { benchFullFold } from './full-fold.bench.ts';
import { benchHostile } from './hostile.bench.ts';
import { benchImports } from './imports.bench.ts';
import { benchLatency } from './latency.bench.ts';
import { benchOneEvent } from './one-event.bench.ts';
import { benchPeers } from './peers.bench.ts';
import { benchPrices } from './prices.bench.ts';
import { benchProfile } from './profile.bench.ts';
import { benchScale } from './scale.bench.ts';
import { benchStorm } from './storm.bench.ts';

const { values, positionals } = parseArgs({
  options: {
    only: { type: 'string' },
    save: { type: 'string' },
    minutes: { type: 'string' },
    rows: { type: 'string' },
    kubestellar: { type: 'string' },
    fleet: { type: 'string' },
    full: { type: 'boolean', default: false },
    wecs: { type: 'string' },
    scenario: { type: 'string', multiple: true },
    'warm-reads': { type: 'string' },
    'warm-writes': { type: 'string' },
    stack: { type: 'string' },
  },
  allowPositionals: true,
});
const { only = positionals[0], save } = values;
const minutes = Number(values.minutes ?? 1);
const rows = Number(values.rows ?? 1_000_000);
if (!(rows >= 4_000 && rows % 4_000 === 0)) throw new RangeError('--rows: a multiple of 4,000');

if (save !== undefined && !/^[\w-]+$/.test(save))
  throw new RangeError('--save: the name of a file, of letters, digits and hyphens');

const SECTIONS: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  fold: () => benchFullFold(),
  event: () => benchOneEvent(),
  ask: async () => [...(await benchAsk()), ...(await benchAskOnDynamoDb())],
  console: () => benchConsole(minutes),
  fleet: async () => [...benchFleet(), ...(await benchFleetPipeline())],
  embedded: () => benchEmbedded(),
  fairness: () => benchFairness(),
  resolution: () => benchBindingResolution(),
  forwarder: () => benchForwarder(),
  cost: () => benchCost(),
  prices: async () => benchPrices(),
  hostile: () => benchHostile(),
  imports: () => benchImports(),
  command: () => benchCommand(),
  latency: () => benchLatency(),
  storm: () => benchStorm(),
  scale: () => benchScale(rows),
  peers: () => benchPeers(values),
  'aws-scale': () => benchAwsScale(values),
  profile: () => benchProfile(values),
};
/** Sections that take many minutes, or need what a machine may not have. */
const ON_REQUEST = new Set(['latency', 'storm', 'scale', 'peers', 'aws-scale', 'profile']);
const RESULTS = join(import.meta.dirname, 'results');

if (only !== undefined && SECTIONS[only] === undefined)
  throw new RangeError(`no section ${only}: there are ${Object.keys(SECTIONS).join(', ')}`);

const commit = execFileSync(
  'git',
  ['describe', '--always', '--dirty', '--abbrev=8', '--exclude=*'],
  {
    encoding: 'utf8',
  },
).trim();
const machine = {
  node: process.version,
  cores: availableParallelism(),
  cpu: cpus()[0]?.model ?? '',
  loadBefore: loadavg()[0] ?? 0,
};
const load = machine.loadBefore.toFixed(2);
process.stdout.write(
  `Node ${machine.node}, ${machine.cores} cores (${machine.cpu}), load before the run ${load}\n`,
);
process.on('exit', setup());
const figures: Figure[] = [];
for (const [name, measureSection] of Object.entries(SECTIONS)) {
  if (only === undefined ? ON_REQUEST.has(name) : only !== name) continue;
  const measured = await measureSection();
  figures.push(...measured);
  process.stdout.write(figuresText(measured));
  if (name !== 'cost') continue;
  for (const { what } of measured.filter((figure) => reaches(figure) === false)) {
    process.stderr.write(`FAILED: the cost model misses its goal: ${what}\n`);
    process.exitCode = 1;
  }
}
const missed = figures.filter((figure) => reaches(figure) === false).length;
const goals = figures.filter((figure) => figure.goal !== undefined).length;
process.stdout.write(`\n${goals - missed} of ${goals} goals reached\n`);
if (save !== undefined) {
  await mkdir(RESULTS, { recursive: true });
  // Where the checkouts of a user are says nothing to others.
  const folders = [values.kubestellar, values.fleet, values.stack];
  const args = process.argv.slice(2).map((arg) => (folders.includes(arg) ? 'FOLDER' : arg));
  const command = `npm run bench -- ${args.join(' ')}`;
  const results = { tag: save, at: new Date().toISOString(), command, commit, machine, figures };
  await writeFile(join(RESULTS, `${save}.json`), `${JSON.stringify(results, undefined, 2)}\n`);
}

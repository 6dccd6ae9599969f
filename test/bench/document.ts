/**
 * Writes the figures of the saved runs into docs/performance.md, and the picture beside it.
 *
 * `npm run performance`; each file in test/bench/results was saved by `npm run bench -- SECTION --save TAG`.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { curvePicture } from './curve-picture.ts';
import { type Figure, reaches, rounded } from './figure.ts';

interface Results {
  readonly tag: string;
  readonly at: string;
  readonly command: string;
  /** Absent in older results. */
  readonly commit?: string;
  readonly machine: {
    readonly node: string;
    readonly cores: number;
    readonly cpu: string;
    /** The average of a minute. */
    readonly loadBefore: number;
  };
  readonly figures: readonly Figure[];
}

const RESULTS = fileURLToPath(new URL('results', import.meta.url));
const DOCUMENT = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
const PICTURE = fileURLToPath(new URL('../../docs/performance.svg', import.meta.url));
const BEGIN = '<!-- The figures begin here. `npm run performance` writes them. -->';
const END = '<!-- The figures end here. -->';
const OVER_RATE = /^(p50|p99) at ([\d,.]+) changes\/s$/;

function goalText(figure: Figure): string {
  const { goal, unit } = figure;
  if (goal === undefined) return '';
  const sign = goal.type === 'at most' ? '≤' : '≥';
  return `${sign} ${rounded(goal.value)} ${unit}: ${reaches(figure) ? 'reached' : '**missed**'}`;
}

function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const { what, value, unit, beside = '' } = figure;
    return `| ${what} | ${rounded(value)} ${unit} | ${goalText(figure)} | ${beside} |`;
  });
  return ['| figure | measured | goal | beside |', '|---|---|---|---|', ...rows].join('\n');
}

function textOf({ at, command, commit, machine, figures }: Results): string {
  const sections = [...Map.groupBy(figures, ({ section }) => section)];
  const measured = `\`${command}\`, ${at.slice(0, 10)}, Node ${machine.node.slice(1)}, ${machine.cores} processors (${machine.cpu}), load before ${rounded(machine.loadBefore)}${commit === undefined ? '' : `, commit ${commit}`}:`;
  return [measured, ...sections.map(([name, own]) => `#### ${name}\n\n${table(own)}`)].join('\n\n');
}

/** The curves of the figures that have a rate in their name, if there are any. */
function picture(figures: readonly Figure[]): string | undefined {
  const points = figures.flatMap(({ section, what, value }) => {
    const [, name, rate] = section.startsWith('Latency over rate')
      ? (OVER_RATE.exec(what) ?? [])
      : [];
    return name === undefined ? [] : [{ name, x: Number(rate?.replaceAll(',', '')), y: value }];
  });
  if (points.length === 0) return undefined;
  const curves = [...Map.groupBy(points, ({ name }) => name)];
  return curvePicture(
    curves.map(([name, own]) => ({ name, points: own })),
    {
      title: 'From a change in a WEC to the WDS, embedded stack',
      x: 'changes a second',
      y: 'milliseconds',
    },
  );
}

/** The order of the runs, by their tags. Others follow. */
const ORDER = [
  ...['latency', 'embedded', 'storm', 'scale', 'fairness', 'ask', 'console', 'command', 'imports'],
  ...['forwarder', 'peers', 'aws-scale', 'aws-scale-2000', 'aws-scale-warm'],
  ...['aws-scale-full', 'aws-scale-rollout'],
];

function placeOf({ tag }: Results): number {
  const place = ORDER.indexOf(tag);
  return place < 0 ? ORDER.length : place;
}

const names = (await readdir(RESULTS)).filter((name) => name.endsWith('.json')).sort();
const runs = await Promise.all(
  names.map(
    async (name): Promise<Results> => JSON.parse(await readFile(join(RESULTS, name), 'utf8')),
  ),
);
runs.sort((a, b) => placeOf(a) - placeOf(b));
const document = await readFile(DOCUMENT, 'utf8');
const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
if (begin < 0 || end < begin) throw new RangeError(`${DOCUMENT} lacks "${BEGIN}" or "${END}"`);
const text = `${BEGIN}\n\n${runs.map(textOf).join('\n\n')}\n\n`;
await writeFile(DOCUMENT, document.slice(0, begin) + text + document.slice(end));
const drawn = picture(runs.flatMap(({ figures }) => figures));
if (drawn !== undefined) await writeFile(PICTURE, drawn);

import './pictures/stopped-clock.ts';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv, stderr, stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { startBrowser } from '#test/browser/harness/chromium.ts';
import { differenceOf } from './pictures/images.ts';
import { takeScreens } from './pictures/screens.ts';
import { takeStory } from './pictures/story.ts';
import { startWorld } from './pictures/world.ts';

// `npm run console-pictures` takes the pictures of README.md and docs/console.md again. With `-- --check` it compares what it takes with
// what is there. CI does neither, because other fonts give other pictures: it takes them `-- --into` another folder.
const FOLDER = join(import.meta.dirname, '..', '..', '..', 'docs', 'pictures');
const STORY = 'console.gif';
/** The share of pixels, or of the size of the animated picture, that may differ. */
const TOLERANCE = 0.005;

async function take(): Promise<ReadonlyMap<string, Buffer>> {
  const closers: (() => unknown)[] = [];
  try {
    const browser = await startBrowser();
    closers.push(() => browser.close());
    const url = await startWorld(closers);
    const taken = new Map<string, Buffer>();
    for (const theme of ['dark', 'light'] as const)
      for (const [name, png] of await takeScreens(browser, url, {
        theme,
        width: 1440,
        height: 900,
      }))
        taken.set(name, png);
    return taken.set(STORY, Buffer.from(await takeStory(browser, url)));
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

/** How different a picture is from the one that is there, from 0 to 1: by its pixels, or the animated one by its size. */
function shareOf(name: string, there: Buffer, picture: Buffer): number {
  if (name === STORY) return Math.abs(picture.length - there.length) / there.length;
  return differenceOf(there, picture);
}

/** How a picture differs from the one that is there, if it does by more than edges that Chromium draws a shade lighter. */
function differenceText(name: string, picture: Buffer): string | undefined {
  const share = shareOf(name, readFileSync(join(FOLDER, name)), picture);
  if (share <= TOLERANCE) return undefined;
  const of = name === STORY ? 'size' : 'pixels';
  return `${name}: differs by ${(share * 100).toFixed(2)} % of its ${of}`;
}

function check(taken: ReadonlyMap<string, Buffer>): void {
  const differences = [...taken].flatMap(([name, picture]) => differenceText(name, picture) ?? []);
  for (const difference of differences) stderr.write(`${difference}\n`);
  if (differences.length > 0) process.exitCode = 1;
  else stdout.write(`${taken.size} pictures are as they are in docs/pictures\n`);
}

function save(taken: ReadonlyMap<string, Buffer>, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, picture] of taken) {
    writeFileSync(join(folder, name), picture);
    stdout.write(`${name}  ${picture.length} bytes\n`);
  }
}

const { values } = parseArgs({
  args: argv.slice(2),
  options: { check: { type: 'boolean' }, into: { type: 'string', default: FOLDER } },
});
const taken = await take();
if (values.check) check(taken);
else save(taken, values.into);

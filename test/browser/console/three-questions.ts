import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, execPath, stdout } from 'node:process';
import { stringify } from 'yaml';
import { bundlePage } from '#console/bundle.ts';
import { startStatusServer } from '#local/api/status-server.ts';
import { pageFilesOf } from '#local/console/page-files.ts';
import { StatusApi } from '#shared/api/api.ts';
import { ANYBODY, OPEN_WDS } from '#shared/api/open-wds.ts';
import { startBrowser } from '#test/browser/harness/chromium.ts';
import { Fleet } from '#test/fakes/console/fleet.ts';
import { STARFOLD } from '#test/unit/local/cli/command.ts';
import type { Browser, Page } from '#tools/browser.ts';

// `npm run console-questions` prints the table of docs/console.md: how long three questions take by the page, by starfold and by kubectl,
// over a fleet in memory with 9 objects in 40 WECs. It fails if one of them does not give the answer.

/** A question, and how each of the three answers it. */
interface Question {
  readonly text: string;
  /** Texts that are the answer. */
  readonly answer: readonly string[];
  /** What is typed into the search of the page, which Enter opens. Absent: the overview has the answer. */
  readonly search?: string;
  /** Where the page has the answer. */
  readonly place: string;
  readonly starfold: readonly string[];
  readonly kubectl: readonly string[];
}

const COLUMNS = 'WEC:.wec,HEALTH:.health.status,WHY:.health.message';

const QUESTIONS: readonly Question[] = [
  {
    text: 'Which cluster holds this rollout up, and why?',
    answer: ['eu-west-003', 'exceeded its progress deadline'],
    search: 'deployment/web',
    place: '.title .msg',
    starfold: ['explain', 'deployment/web', '-n', 'shop'],
    kubectl: ['get', 'wecst', '-n', 'shop', '-o', `custom-columns=${COLUMNS}`],
  },
  {
    text: 'Which regions lag?',
    answer: ['us-west'],
    place: '.ovs aside section:has-text("Behind the WDS")',
    starfold: [
      ...['query', 'deployment/web', '-n', 'shop'],
      ...['--filter', 'propagation.generation < obj.metadata.generation'],
      ...['--group-by', 'region=inventory.labels.region', '--count', 'behind'],
    ],
    kubectl: [
      ...['get', 'wecst', '-n', 'shop'],
      ...['-o', 'custom-columns=OBJECT:.workload.name,WEC:.wec,GENERATION:.generation.source'],
    ],
  },
  {
    text: 'What does this cluster say?',
    answer: ['checkout', 'indexer'],
    search: 'eu-west-003',
    place: '.wc .vp',
    starfold: ['get', 'wecst', '-A', '--field-selector', 'wec=eu-west-003'],
    kubectl: ['get', 'wecst', '-A', '--field-selector', 'wec=eu-west-003'],
  },
];

/** How much is typed, how long it takes, and among how many lines the answer stands. */
interface Effort {
  readonly keys: number;
  readonly seconds: number;
  readonly lines: number;
}

function linesOf(said: string): number {
  return said.trim().split(/\n+/).length;
}

function checkAnswer({ text, answer }: Question, by: string, said: string): void {
  const missing = answer.filter((part) => !said.includes(part));
  if (missing.length > 0)
    throw new Error(`${text} ${by} does not say ${missing.join(', ')}: ${said}`);
}

/** Types as a user does; that he types is not in the seconds. */
async function askPage(page: Page, { search }: Question): Promise<number> {
  if (search === undefined) return 0;
  await page.locator('.ov .tr.hit').first().waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type(search);
  await page.getByRole('option').first().waitFor();
  await page.keyboard.press('Enter');
  return search.length + '/⏎'.length;
}

async function byPage(browser: Browser, url: string, question: Question): Promise<Effort> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const begun = performance.now();
  await page.goto(url);
  const keys = await askPage(page, question);
  const place = page.locator(question.place);
  for (const part of question.answer) await place.getByText(part).first().waitFor();
  const seconds = (performance.now() - begun) / 1000;
  checkAnswer(question, 'the page', await place.innerText());
  // A row of a table is a line, and so is a sentence.
  const lines = Math.max(1, await place.locator('.tr').count());
  await page.close();
  return { keys, seconds, lines };
}

/** So many characters are typed for a command, with the quotes of a shell and Enter. */
function keysOf(program: string, args: readonly string[]): number {
  const quoted = args.map((arg) => (/[ <>]/.test(arg) ? `'${arg}'` : arg));
  return [program, ...quoted].join(' ').length + 1;
}

async function byCommand(
  program: readonly [name: string, ...command: string[]],
  kubeconfig: string,
  [question, args]: readonly [Question, readonly string[]],
): Promise<Effort> {
  const [name, file = name, ...before] = program;
  const begun = performance.now();
  const child = spawn(file, [...before, ...args], {
    env: { ...env, KUBECONFIG: kubeconfig },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(child, 'close');
  const seconds = (performance.now() - begun) / 1000;
  checkAnswer(question, name, said);
  return { keys: keysOf(name, args), seconds, lines: linesOf(said) };
}

function cellOf({ keys, seconds, lines }: Effort): string {
  return `${seconds.toFixed(1)} s, ${keys} keys, ${lines} ${lines === 1 ? 'line' : 'lines'}`;
}

/** A kubeconfig of the server, as `starfold start --api` writes one. */
function kubeconfigFor(folder: string, server: string): string {
  const path = join(folder, 'kubeconfig');
  const named = { cluster: 'api', user: 'me' };
  const text = stringify({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'api' },
    clusters: [{ name: 'api', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'me', user: {} }],
    contexts: [{ name: 'api', context: named }],
  });
  writeFileSync(path, text);
  return path;
}

async function measure(browser: Browser, url: string, folder: string): Promise<void> {
  const kubeconfig = kubeconfigFor(folder, url);
  stdout.write('| question | page | `starfold` | `kubectl` |\n|---|---|---|---|\n');
  for (const question of QUESTIONS) {
    const { starfold, kubectl } = question;
    const efforts = [
      await byPage(browser, url, question),
      await byCommand(['starfold', execPath, STARFOLD], kubeconfig, [question, starfold]),
      await byCommand(['kubectl', 'kubectl', `--cache-dir=${folder}`], kubeconfig, [
        question,
        kubectl,
      ]),
    ];
    stdout.write(`| ${question.text} | ${efforts.map(cellOf).join(' | ')} |\n`);
  }
}

const folder = mkdtempSync(join(tmpdir(), 'starfold-questions-'));
const { source } = new Fleet({ nowMs: Date.now() });
const onError = (error: unknown): void => {
  throw error;
};
const api = new StatusApi({ source, wds: OPEN_WDS, now: Date.now, watch: true, onError });
const page = pageFilesOf(await bundlePage());
const protection = { type: 'own-machine', user: ANYBODY, page } as const;
const server = await startStatusServer({ host: '127.0.0.1', port: 0, api, protection, onError });
const browser = await startBrowser();
try {
  await measure(browser, server.url, folder);
} finally {
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true });
}

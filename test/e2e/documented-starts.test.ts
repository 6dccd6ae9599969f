/** Every `starfold start` of every document, with real API servers: it connects, and ends when the user ends it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { WRITER_LEASE } from '#shared/doctor/writer-mark.ts';
import { selfSigned } from '#test/fakes/self-signed.ts';
import { writeTokens } from '#test/fakes/token-file.ts';
import { codeBlocks, ROOT, readDocument } from '#test/unit/docs/markdown.ts';
import { commandsOf, documentsWithCommands } from '#test/unit/docs/shell.ts';
import { clusters } from './clusters.ts';
import { clear } from './controls.ts';
import { defineFleet } from './fleet/crds.ts';
import { kubeconfigOf } from './global-setup.ts';

/** The commands, each once, from the word `start` on. `npm start` has another form. */
const STARTS = [
  ...new Map(
    documentsWithCommands()
      .flatMap(commandsOf)
      .filter(
        ({ program, args }) =>
          ['npm', 'npx', 'starfold'].includes(program) && args.includes('start'),
      )
      .map(({ args }) => args.slice(args.indexOf('start')).filter((word) => word !== '--'))
      .map((args) => [args.join(' '), { words: args.join(' '), args }]),
  ).values(),
];
/** Any free port in place of one that may be taken. */
const PORTS: Readonly<Record<string, string>> = { '8081': '0', '0.0.0.0:8443': '127.0.0.1:0' };
const DEMO = 'page: http://127.0.0.1:';
const PATIENCE = { timeout: 120_000, interval: 100 };

/** What it prints when it works: without clusters it plays the demo. */
function sign(args: readonly string[]): string {
  const option = args.find((word) => word === '--wds' || word === '--fleet');
  return option === undefined ? DEMO : `${args[args.indexOf(option) + 1]} forwarder: connected`;
}

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'starfold-starts-'));
  const { wds, wec1, wec2 } = clusters();
  await defineFleet(wec2);
  const kubeconfig = kubeconfigOf([
    ...['wds', 'wds1'].map((name) => ({ ...wds, name })),
    ...['wec1', 'cluster1'].map((name) => ({ ...wec1, name })),
    ...['wec2', 'cluster2', 'kind-cluster2', 'its1', 'rancher1'].map((name) => ({ ...wec2, name })),
  ]);
  const blocks = codeBlocks(readDocument('docs/notifications.md').text);
  const notifications = blocks.find(({ language }) => language === 'yaml')?.code ?? '';
  const { cert, key } = selfSigned();
  const files = {
    kubeconfig,
    'clusters.yaml': kubeconfig,
    'tls.crt': cert,
    'tls.key': key,
    'notifications.yaml': notifications.replace('…', Buffer.alloc(32).toString('base64')),
  };
  for (const [name, text] of Object.entries(files))
    await writeFile(join(folder, name), text, { mode: 0o600 });
  writeTokens(join(folder, 'tokens.yaml'), ['wec/cluster1']);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

afterEach(async () => {
  await rm(join(folder, '.starfold'), { recursive: true, force: true });
  // The next installation may write this WDS.
  await clear(clusters().wds, [WRITER_LEASE]);
});

it.each(STARTS)('starfold $words', async ({ args }) => {
  const words = args.map((word) => PORTS[word] ?? word);
  const child = spawn(process.execPath, [join(ROOT, 'local/cli/starfold.js'), ...words], {
    cwd: folder,
    env: { KUBECONFIG: 'kubeconfig', HOME: folder, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  try {
    await vi.waitFor(() => expect(said).toContain(sign(args)), PATIENCE);
  } finally {
    child.kill('SIGINT');
  }
  expect((await ended)[0], said).toBe(0);
});

import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  documentIn,
  FILE_FAULTS,
  itemIn,
  NO_FILES,
  NOT_UTF8,
  NOT_YAML,
  noAnchor,
  notJson,
  placeIn,
  STANDARD_INPUT,
} from '#local/cli/input/document-messages.ts';
import {
  fieldFault,
  givenTwice,
  NO_ITEMS,
  NO_OBJECT,
  NO_WEC_NAME,
  NOT_AN_OBJECT,
  wrongVersion,
} from '#local/cli/input/messages.ts';
import { fileAsName } from '#local/cli/input/object-messages.ts';
import { invalidSource } from '#local/cli/input/report-messages.ts';
import { notWritten } from '#local/cli/terminal/messages.ts';
import {
  emptyValue,
  missingOption,
  notACluster,
  ONE_STANDARD_INPUT,
  SEE_HELP,
  TIME_FORM,
  WEC_FORM,
} from '#local/cli/terminal/option-messages.ts';
import { ALL, file, fixture, STARFOLD, spawnStarfold, starfold } from './command.ts';

const CONTROL = 'apiVersion: control.kubestellar.io/v1alpha1';
const FIRST = documentIn(STANDARD_INPUT, 1);
const SECOND = documentIn(STANDARD_INPUT, 2);
const POD = 'apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: ns}\n';

function workStatus(rest: string): string {
  return `${CONTROL}\nkind: WorkStatus\n${rest}\n`;
}

describe('bad input: exit code 1, and a message with the place and the remedy', () => {
  it.each([
    ['no object at all', '# nothing\n', NO_OBJECT],
    ['no input at all', '', NO_OBJECT],
    [
      'what is not YAML',
      `${POD}---\na: [1,\n b: }`,
      `${placeIn(SECOND, { line: 6, col: 5 })}: ${NOT_YAML}`,
    ],
    [
      'a tab for indentation',
      'a:\n\tb: 1\n',
      `${placeIn(FIRST, { line: 2, col: 1 })}: ${NOT_YAML}`,
    ],
    ['JSON that ends early', '{"kind": ', placeIn(FIRST, { line: 1, col: 10 })],
    ['a text', 'hello\n', `${FIRST}: ${NOT_AN_OBJECT}`],
    ['a list', '[1]\n', `${FIRST}: ${NOT_AN_OBJECT}`],
    ['no apiVersion', 'kind: Pod\n', `${FIRST}: ${fieldFault('apiVersion', true)}`],
    ['no kind', `${POD}---\napiVersion: v1\n`, `${SECOND}: ${fieldFault('kind', true)}`],
    [
      'no name',
      'apiVersion: v1\nkind: Pod\n',
      `${FIRST}, Pod: ${fieldFault('metadata.name', true)}`,
    ],
    [
      'a name that is a number',
      'apiVersion: v1\nkind: Pod\nmetadata: {name: 7}\n',
      `${FIRST}, Pod: ${fieldFault('metadata.name', false)}`,
    ],
    [
      'a namespace that is a number',
      'apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: 7}\n',
      `${FIRST}, Pod p: ${fieldFault('metadata.namespace', false)}`,
    ],
    [
      'an item without a kind',
      'apiVersion: v1\nkind: List\nitems: [{apiVersion: v1}]\n',
      `${itemIn(FIRST, 1)}: ${fieldFault('kind', true)}`,
    ],
    [
      'an item that is not an object',
      'apiVersion: v1\nkind: List\nitems: [1]\n',
      `${itemIn(FIRST, 1)}: ${NOT_AN_OBJECT}`,
    ],
    [
      'items that are not a list',
      'apiVersion: v1\nkind: List\nitems: {}\n',
      `${FIRST}, List: ${NO_ITEMS}`,
    ],
    [
      'an object that is given twice',
      `${POD}---\n${POD}`,
      `${SECOND}: Pod ns/p ${givenTwice(FIRST)}`,
    ],
    [
      'an unknown version of a control object',
      'apiVersion: control.kubestellar.io/v2\nkind: Binding\nmetadata: {name: b}\n',
      `${FIRST}, Binding b: ${wrongVersion('control.kubestellar.io/v2', 'control.kubestellar.io/v1alpha1')}`,
    ],
    [
      'a WorkStatus without a sourceRef',
      workStatus('metadata: {name: s, namespace: w}'),
      `document 1, WorkStatus w/s: ${invalidSource('group')}`,
    ],
    [
      'a WorkStatus without the resource of its sourceRef',
      workStatus(
        'metadata: {name: s, namespace: w}\nspec: {sourceRef: {group: "", name: p, namespace: ns}}',
      ),
      `document 1, WorkStatus w/s: ${invalidSource('resource')}`,
    ],
    [
      'a WorkStatus without a namespace',
      workStatus('metadata: {name: s}'),
      `${FIRST}, WorkStatus s: ${NO_WEC_NAME}`,
    ],
    [
      'a number that JSON does not have',
      `${POD}status: {a: .nan}\n`,
      `${FIRST}: ${notJson(Number.NaN)}`,
    ],
    ['an unknown anchor', 'a: *b\n', `${placeIn(FIRST, { line: 1, col: 4 })}: ${noAnchor('b')}`],
    ['a key twice', 'a: 1\na: 2\n', `${placeIn(FIRST, { line: 2, col: 1 })}: ${NOT_YAML}`],
  ])('%s', (_what, text, message) => {
    const { code, out, err } = starfold(['eval', '-f', '-'], text);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^starfold: (?:-|\(standard input\))/);
    expect(err).toContain(message);
  });

  it('a file that does not exist, by name', () => {
    const { code, err } = starfold(['eval', '-f', 'no-such-file.yaml']);
    expect(code).toBe(1);
    expect(err).toBe(`starfold: no-such-file.yaml: ${FILE_FAULTS['ENOENT']}\n`);
  });

  it('links that lead to themselves', () => {
    const folder = mkdtempSync(join(tmpdir(), 'starfold-links-'));
    const link = join(folder, 'link.yaml');
    symlinkSync(link, link);
    const { code, err } = starfold(['eval', '-f', folder]);
    rmSync(folder, { recursive: true });
    expect([code, err]).toEqual([1, `starfold: ${link}: ${FILE_FAULTS['ELOOP']}\n`]);
  });

  it('a file in the place of an object', () => {
    const path = 'docs/examples/wds.yaml';
    const { code, err } = starfold(['explain', path, '-f', path]);
    expect(code).toBe(2);
    expect(err).toContain(`starfold: ${fileAsName(path)} ${SEE_HELP}\n`);
  });

  it.each<[string, Uint8Array]>([
    ['a program', readFileSync(process.execPath).subarray(0, 4096)],
    ['what gzip has packed', gzipSync(POD)],
    ['a text in another encoding', Buffer.from(`${POD}# \u00e4\n`, 'latin1')],
    ['UTF-16 without a byte order mark', Buffer.from(POD, 'utf16le')],
    ['half a character of UTF-16', Buffer.from(`\ufeff${POD}\ud800`, 'utf16le')],
  ])('%s instead of a text, from a file and from standard input', (_what, bytes) => {
    const path = file('binary.yaml', bytes);
    const message = (name: string): string => `starfold: ${name}: ${NOT_UTF8}\n`;
    expect(starfold(['eval', '-f', path])).toEqual({ code: 1, out: '', err: message(path) });
    const err = message(STANDARD_INPUT);
    expect(starfold(['eval', '-f', '-'], bytes)).toEqual({ code: 1, out: '', err });
  });

  it('a folder without a file of YAML or JSON', () => {
    const folder = mkdtempSync(join(tmpdir(), 'starfold-cli-'));
    const { code, err } = starfold(['eval', '-f', folder]);
    expect(code).toBe(1);
    expect(err).toContain(`${folder}: ${NO_FILES}`);
  });

  it('a file given twice for one WEC', () => {
    const wec = `wec1=${fixture('wec1.yaml')}`;
    const { code, err } = starfold(['eval', ...ALL, '--wec', wec]);
    expect(code).toBe(1);
    const first = documentIn(fixture('wec1.yaml'), 1);
    expect(err).toBe(`starfold: ${first}: Deployment shop/web ${givenTwice(first)}\n`);
  });

  it('names file and document of what a WEC returned', () => {
    const path = file('w.yaml', 'kind: Pod\n');
    const { code, err } = starfold(['eval', ...ALL, '--wec', `w=${path}`]);
    expect(code).toBe(1);
    expect(err).toContain(`${documentIn(path, 1)}: ${fieldFault('apiVersion', true)}`);
  });
});

describe('wrong usage: exit code 2, and a message that says what to write', () => {
  it.each([
    ['no sub-command', [], 'Usage: starfold'],
    ['an unknown sub-command', ['evil'], "unknown command 'evil'"],
    ['no file', ['eval'], missingOption('-f, --filename <path>')],
    ['an unknown option', ['eval', '-f', 'x', '--colour'], "unknown option '--colour'"],
    ['a required option misspelt', ['eval', '--filname', 'x'], "unknown option '--filname'"],
    ['the context misspelt', ['takeover', '--contxt', 'x'], "unknown option '--contxt'"],
    ['no context', ['takeover', '--yes'], missingOption('--context <context>')],
    ['a WEC without a file', ['eval', '-f', 'x', '--wec', 'wec1'], WEC_FORM],
    ['a WEC without a name', ['eval', '-f', 'x', '--wec', '=f'], WEC_FORM],
    ['a WEC with an empty file', ['eval', '-f', 'x', '--wec', 'a='], WEC_FORM],
    ['a Fleet Cluster without a name', ['eval', '-f', 'x', '--wec', 'ns/=f'], notACluster('ns/')],
    [
      'a Fleet Cluster of three parts',
      ['eval', '-f', 'x', '--wec', 'a/b/c=f'],
      notACluster('a/b/c'),
    ],
    ['no time', ['eval', '-f', 'x', '--now', 'today'], TIME_FORM],
    ['an impossible time', ['eval', '-f', 'x', '--now', '2026-13-01T00:00:00Z'], TIME_FORM],
    ['a date that does not exist', ['eval', '-f', 'x', '--now', '2026-02-30T00:00:00Z'], TIME_FORM],
    ['a leap day in no leap year', ['eval', '-f', 'x', '--now', '2026-02-29t00:00:00z'], TIME_FORM],
    ['an empty stage', ['get', '--stage', ''], emptyValue('--stage <stage>')],
    ['an empty namespace', ['console', '-n', ''], emptyValue('-n, --namespace <namespace>')],
    [
      'no name of a WEC',
      ['explain', 'deployment/web', '--without', 'a,'],
      emptyValue('--without <wec>'),
    ],
    ['an unknown format', ['eval', '-f', 'x', '-o', 'xml'], 'Allowed choices are yaml, json'],
    ['standard input twice', ['eval', '-f', '-', '--wec', 'a=-'], ONE_STANDARD_INPUT],
    ['an unknown assessor', ['health', '-f', 'x', '--assess', 'me'], 'are argocd, kstatus, fleet.'],
    ['an unknown Argo CD', ['health', '-f', 'x', '--argocd-version', '1'], 'Allowed choices are'],
  ])('%s', (_what, args, message) => {
    const { code, out, err } = starfold(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
  });
});

describe('the command', () => {
  it.each([
    [['--help'], 'Usage: starfold'],
    [['help', 'eval'], 'Usage: starfold eval'],
    [['eval', '--help'], 'Examples:'],
    [['health', '--help'], 'Examples:'],
    [['start', '--help'], '  130  with --exit: '],
    [['fleet', '--help'], 'diff [options]  show where'],
  ])('%j helps, and exits with 0', (args, text) => {
    const { code, out } = starfold(args);
    expect(code).toBe(0);
    expect(out).toContain(text);
  });

  it.each([
    'eval',
    'health',
    'start',
    'takeover',
    'fleet',
    'doctor',
    'redrive',
    'register',
    'unregister',
  ])(
    '%s is described by a sentence, and in a list of commands by words in the imperative',
    (name) => {
      const list = starfold(['--help']).out;
      expect(list).toMatch(new RegExp(`^  ${name} .*  [a-z]`, 'm'));
      expect(starfold([name, '--help']).out).toMatch(/^Usage: .*\n\n[A-Z][^.]*\.\n/);
    },
  );

  it('does as a process what it does in a thread', () => {
    for (const args of [['--help'], ['evil'], ['eval', ...ALL], ['eval', '-f', 'no-such-file']])
      expect(spawnStarfold(args)).toEqual(starfold(args));
    const bound = ['eval', '-f', '-'];
    expect(spawnStarfold(bound, POD)).toEqual(starfold(bound, POD));
    expect(spawnStarfold(bound, 'a list')).toEqual(starfold(bound, 'a list'));
  });

  it('loads neither a client of clusters or clouds', () => {
    const hook = `import { registerHooks } from 'node:module';
      registerHooks({ load: (url, context, next) => (console.error(url), next(url, context)) });`;
    const preload = `data:text/javascript,${encodeURIComponent(hook)}`;
    const { stderr } = spawnSync(
      process.execPath,
      ['--import', preload, STARFOLD, 'eval', ...ALL],
      {
        encoding: 'utf8',
      },
    );
    expect(stderr).toContain('local/cli/eval/evaluate.ts');
    // What the kinds of Kubernetes are is data, without a client.
    expect(stderr).not.toMatch(
      /node_modules\/(?:@kubernetes|@aws-)|shared\/adapters\/(?!kubernetes\/(?:built-in-schemas|kind-models)\.)|sqlite/,
    );
  });

  it('ends quietly when its reader has seen enough', async () => {
    const child = spawn(process.execPath, [STARFOLD, 'eval', ...ALL]);
    let err = '';
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    child.stdout.destroy();
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });
});

it('says in one line that the results cannot be written', () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(
    process.execPath,
    [STARFOLD, 'eval', '-f', fixture('wds.yaml')],
    {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    },
  );
  closeSync(full);
  expect(status).toBe(1);
  const lines = stderr.split('\n').filter((line) => line.includes(notWritten('')));
  expect(lines).toEqual([`starfold: ${notWritten('ENOSPC: no space left on device, write')}`]);
  expect(stderr).not.toContain('    at ');
});

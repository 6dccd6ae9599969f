import { mkdtempSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundle, functionNames } from './bundle.ts';
import { ENVIRONMENT } from './environment.ts';
import { importOnce } from './import-once.ts';

const MB = 1_000_000;

/** The size of the code of each function. `npm run bench -- imports` measures the time to import it. */
const BUDGETS = [
  { name: 'aggregate-workload', bytes: MB },
  { name: 'record-events', bytes: MB },
  { name: 'send-notifications', bytes: MB },
  { name: 'serve-api', bytes: MB },
  { name: 'serve-api/reviewed', bytes: 1.4 * MB },
  { name: 'sweep-stale', bytes: MB },
  { name: 'write-results', bytes: MB },
];

/** What no function may contain: the code of the deployment, of the tests and of the embedded stack. */
const FOREIGN =
  /^(?:infra\/(?!bundles\/)|test\/|shared\/adapters\/sqlite\/)|node_modules\/(?:dynalite|fast-check)\//;
const CLIENT = /node_modules\/@kubernetes\/client-node\//;

/** `debug` goes on without it. A root with development tools may have it installed. */
const OPTIONAL = new Set(['supports-color']);

const directory = mkdtempSync(join(tmpdir(), 'starfold-bundles-'));
const bundles = new Map<string, Bundle>();

function built(name: string): Bundle {
  const found = bundles.get(name);
  if (found === undefined) throw new Error(`no function ${name}`);
  return found;
}

/** The package or folder that a source file belongs to. */
function origin(path: string): string {
  const [, installed] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
  return installed ?? path.split('/').slice(0, 2).join('/');
}

/** What is largest in a bundle, in words. */
function largest({ bytes, inputs }: Bundle): string {
  const origins = new Map<string, number>();
  for (const [path, size] of inputs)
    origins.set(origin(path), (origins.get(origin(path)) ?? 0) + size);
  const sorted = [...origins].sort(([, a], [, b]) => b - a).slice(0, 12);
  const parts = sorted.map(([name, size]) => `${name} ${Math.round(size / 1000)} kB`);
  return `${Math.round(bytes / 1000)} kB, most of it ${parts.join(', ')}`;
}

function matching(name: string, pattern: RegExp): readonly string[] {
  return built(name).inputs.flatMap(([path]) => (pattern.test(path) ? [path] : []));
}

beforeAll(async () => {
  for (const name of functionNames()) bundles.set(name, await bundle(name, directory));
});
afterAll(() => rmSync(directory, { recursive: true }));

it('each function has a budget', () => {
  expect(BUDGETS.map(({ name }) => name)).toEqual(functionNames());
});

describe.each(BUDGETS)('$name', ({ name, bytes }) => {
  it(`has at most ${bytes / MB} MB`, () => {
    expect(built(name).bytes, largest(built(name))).toBeLessThanOrEqual(bytes);
  });

  it('is imported with the settings that it has there', async () => {
    const { file } = built(name);
    expect(await importOnce(pathToFileURL(file).href, ENVIRONMENT)).toBeGreaterThan(0);
  });

  it('contains nothing of the deployment, the tests and the embedded stack', () => {
    expect(matching(name, FOREIGN)).toEqual([]);
  });

  it('asks for nothing but what Lambda has', () => {
    const asked = built(name).imports.filter((path) => !OPTIONAL.has(path));
    expect(asked.filter((path) => !isBuiltin(path) || path === 'node:sqlite')).toEqual([]);
  });

  it('contains the Kubernetes client only if it writes to a WDS, or asks it who may read', () => {
    const isThere = ['write-results', 'serve-api/reviewed'].includes(name);
    expect(matching(name, CLIENT).length > 0).toBe(isThere);
  });
});

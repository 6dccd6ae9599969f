import { mkdtempSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundle, functionNames, yardstick } from './bundle.ts';
import { importTime } from './import-time.ts';

const MB = 1_000_000;

/**
 * What each function may cost before its first message: size of the code, and time to import it.
 */
const BUDGETS = [
  { name: 'aggregate-workload', bytes: MB, milliseconds: 80 },
  { name: 'record-events', bytes: MB, milliseconds: 80 },
  { name: 'send-notifications', bytes: 2 * MB, milliseconds: 150 },
  { name: 'serve-api', bytes: MB, milliseconds: 80 },
  { name: 'serve-api/reviewed', bytes: 2 * MB, milliseconds: 150 },
  { name: 'sweep-stale', bytes: MB, milliseconds: 80 },
  { name: 'write-results', bytes: 2 * MB, milliseconds: 150 },
];

/** What a function reads when it is imported. Nothing is asked at these addresses. */
const QUEUES = [
  'EVENTS_QUEUE',
  'EVENTS_DLQ',
  'DIRTY_QUEUE',
  'DIRTY_DLQ',
  'HINTS_QUEUE',
  'HINTS_DLQ',
  'NOTIFICATIONS_QUEUE',
  'NOTIFICATIONS_DLQ',
];
const ENVIRONMENT = {
  AWS_REGION: 'eu-central-1',
  STAGE: 'test',
  TABLE_NAME: 'starfold',
  TABLE_ARN: 'arn:aws:dynamodb:eu-central-1:111122223333:table/starfold',
  REDRIVER_PRINCIPAL: 'AROAEXAMPLE',
  OBJECTS_PER_WEC: '1000',
  WDS_KUBECONFIGS: '{"wds1":"ssm:/starfold/wds1"}',
  FLEET_KUBECONFIGS: '{}',
  NOTIFICATIONS: 'ssm:/starfold/notifications',
  EVENT_BUS: 'arn:aws:events:eu-central-1:111122223333:event-bus/starfold',
  ...Object.fromEntries(QUEUES.map((name) => [`${name}_URL`, `https://sqs.example/${name}`])),
};

/** What no function may contain: the code of the deployment, of the tests and of the embedded stack. */
const FOREIGN =
  /^(?:infra\/(?!bundles\/)|test\/|shared\/adapters\/sqlite\/)|node_modules\/(?:dynalite|fast-check)\//;
const CLIENT = /node_modules\/@kubernetes\/client-node\//;

/**
 * The budgets of time are for a machine that imports the DynamoDB client alone in so many milliseconds (measured where
 * they were set). A slower one, or one that others use, has more time by as much as it is slower.
 */
const YARDSTICK_MS = 48;
/** `debug` goes on without it. A root with development tools may have it installed. */
const OPTIONAL = new Set(['supports-color']);
let slowness = 1;

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
  const url = pathToFileURL(await yardstick(directory)).href;
  const time = await importTime(url, ENVIRONMENT, YARDSTICK_MS);
  slowness = Math.max(1, time / YARDSTICK_MS);
  process.stdout.write(`the DynamoDB client alone: ${time.toFixed(1)} ms\n`);
});
afterAll(() => rmSync(directory, { recursive: true }));

it('each function has a budget', () => {
  expect(BUDGETS.map(({ name }) => name)).toEqual(functionNames());
});

describe.each(BUDGETS)('$name', ({ name, bytes, milliseconds }) => {
  it(`has at most ${bytes / MB} MB`, () => {
    expect(built(name).bytes, largest(built(name))).toBeLessThanOrEqual(bytes);
  });

  it(`is imported within ${milliseconds} ms, beside the DynamoDB client alone in ${YARDSTICK_MS}`, async () => {
    const found = built(name);
    const budget = milliseconds * slowness;
    const time = await importTime(pathToFileURL(found.file).href, ENVIRONMENT, budget);
    process.stdout.write(
      `${name}: ${found.bytes} bytes, ${time.toFixed(1)} ms of ${budget.toFixed(1)}\n`,
    );
    expect(time, largest(found)).toBeLessThanOrEqual(budget);
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

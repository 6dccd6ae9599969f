import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { type JsonObject, type JsonValue, parseJson } from '#shared/core/json.ts';

const run = promisify(execFile);
const SERVERLESS = join('infra', 'deployment', 'node_modules', '.bin', 'serverless');

/** One resource of a CloudFormation template. */
export interface TemplateResource {
  readonly Type: string;
  readonly Condition?: string;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly Properties: { readonly [name: string]: JsonValue };
}

/** What `serverless package` makes, without the archives. */
export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Outputs: Readonly<Record<string, JsonObject>>;
}

/** Where a kubeconfig is, and what it may do. */
type SettingsPlace = string | { readonly kubeconfig: string; readonly allow: object };

/** Values for `infra/settings.yml`. */
export interface Settings {
  readonly region: string;
  readonly wdses: Readonly<Record<string, SettingsPlace>>;
  readonly alarmEmail: string;
  readonly fleet?: {
    readonly mode?: string;
    readonly upstreams: Readonly<Record<string, SettingsPlace>>;
  };
  readonly api?: boolean | { readonly readers: 'iam' | 'wds' };
  readonly workloadMetrics?: boolean;
  readonly warmThroughput?: {
    readonly readUnitsPerSecond?: number;
    readonly writeUnitsPerSecond?: number;
  };
  readonly notifications?: { readonly document: string; readonly eventBus?: string };
  readonly vpc?: {
    readonly subnetIds: readonly string[];
    readonly securityGroupIds: readonly string[];
  };
}

/**
 * Runs a command of the deployment framework for the stage `test`. Needs no account and no network.
 *
 * @param cwd the folder with `serverless.yml`. Default: the repository
 * @throws when it fails; the error's `stderr` or `stdout` says why
 */
export async function serverless(
  args: readonly string[],
  settingsFile: string,
  cwd?: string,
): Promise<void> {
  await run(
    process.execPath,
    [SERVERLESS, ...args, '--stage', 'test', '--param', `settings=${settingsFile}`],
    { env: { PATH: '' }, ...(cwd === undefined ? {} : { cwd }), maxBuffer: 8 * 1024 * 1024 },
  );
}

/**
 * Runs `serverless package` for the stage `test`, with settings of its own, and reads the template that a deployment
 * would hand to CloudFormation. Needs no account and no network.
 *
 * @param cwd the folder with `serverless.yml`. Default: the repository
 * @throws when the framework refuses the configuration; the error's `stderr` or `stdout` says why
 */
export async function synthesise(settings: Settings, cwd?: string): Promise<Template> {
  const folder = await mkdtemp(join(tmpdir(), 'starfold-template-'));
  try {
    const settingsFile = join(folder, 'settings.yml');
    await writeFile(settingsFile, stringify(settings));
    await serverless(['package', '--package', join(folder, 'out')], settingsFile, cwd);
    const text = await readFile(
      join(folder, 'out', 'cloudformation-template-update-stack.json'),
      'utf8',
    );
    // CloudFormation's own format.
    return parseJson(text) as unknown as Template;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

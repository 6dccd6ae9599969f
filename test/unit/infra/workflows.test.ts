import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { at, isArray, isObject, type JsonValue, textAt } from '#shared/core/json.ts';
import { ROOT } from '#test/unit/docs/markdown.ts';

const WORKFLOWS = globSync('.github/workflows/*.yml', { cwd: ROOT });
const FORMS = globSync('.github/ISSUE_TEMPLATE/*.yml', { cwd: ROOT });
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

function read(path: string): JsonValue {
  return parse(readFileSync(join(ROOT, path), 'utf8')) as JsonValue; // YAML of a file has values of JSON.
}

function listAt(value: JsonValue, ...path: readonly string[]): readonly JsonValue[] {
  const found = at(value, ...path);
  return isArray(found) ? found : [];
}

/** The steps of all jobs. */
function stepsOf(workflow: JsonValue): readonly JsonValue[] {
  const jobs = at(workflow, 'jobs');
  return isObject(jobs) ? Object.values(jobs).flatMap((job) => listAt(job, 'steps')) : [];
}

describe('the workflows of the forge', () => {
  it('are there', () => {
    expect(WORKFLOWS.length).toBeGreaterThan(0);
  });

  it.each(WORKFLOWS)('%s: runs scripts of this repository that exist', (path) => {
    const runs = stepsOf(read(path)).map((step) => textAt(step, 'run'));
    const text = runs.join('\n');
    const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    const files = [...text.matchAll(/(?<![\w./-])((?:\.ci|infra|local)\/[\w./-]+)/g)].map(
      ([, file = '']) => file,
    );
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    expect(named.length + files.length).toBeGreaterThan(0);
  });

  it('make the package before the image that is made of it', () => {
    const steps = listAt(read('.github/workflows/release.yml'), 'jobs', 'images', 'steps');
    const made = steps.findIndex((step) => textAt(step, 'run') === 'npm run release');
    const built = steps.findIndex((step) => textAt(step, 'uses').startsWith('docker/build-push'));
    expect(made).toBeGreaterThan(0);
    expect(built).toBeGreaterThan(made);
  });

  it('publish no image before the tag has been compared with the version, and no chart before its image', () => {
    const jobs = at(read('.github/workflows/release.yml'), 'jobs');
    expect([at(jobs, 'images', 'needs'), at(jobs, 'chart', 'needs')]).toEqual([
      'package',
      'images',
    ]);
  });

  it.each(WORKFLOWS)('%s: pins each action to a commit', (path) => {
    const uses = stepsOf(read(path)).flatMap((step) => textAt(step, 'uses') || []);
    expect(uses.length).toBeGreaterThan(0);
    expect(uses.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
  });

  it.each(WORKFLOWS)('%s: has only the permissions that a job names', (path) => {
    expect(at(read(path), 'permissions')).toEqual({ contents: 'read' });
  });

  it.each(FORMS.filter((path) => !path.endsWith('config.yml')))(
    '%s: names what each field is for',
    (path) => {
      const fields = listAt(read(path), 'body');
      expect(fields.length).toBeGreaterThan(0);
      expect(fields.filter((field) => textAt(field, 'attributes', 'label') === '')).toEqual([]);
    },
  );
});

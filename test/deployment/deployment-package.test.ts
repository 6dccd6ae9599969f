import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unpackTar } from 'modern-tar';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deploymentPackage } from '#infra/release/deployment-package.ts';
import { synthesise } from './synthesised-template.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const DATE = new Date('2026-11-27T00:00:00Z');
const SETTINGS = {
  region: 'eu-central-1',
  wdses: { wds1: 'ssm:/starfold/wds1' },
  alarmEmail: 'ops@example.com',
};
/** What `npm ci` and `npm ci --prefix infra/deployment` install. */
const INSTALLED = ['node_modules', 'infra/deployment/node_modules'];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'starfold-deployed-'));
  const { content } = await deploymentPackage(ROOT, DATE);
  for (const { header, data } of await unpackTar(gunzipSync(content))) {
    const path = join(folder, header.name.replace(/^[^/]+\//, ''));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, data ?? '');
  }
  for (const path of INSTALLED) await symlink(join(ROOT, path), join(folder, path));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('gives the same template as the repository', async () => {
  const [packed, repository] = [await synthesise(SETTINGS, folder), await synthesise(SETTINGS)];
  expect(Object.keys(packed.Resources)).toEqual(Object.keys(repository.Resources));
  expect(packed.Outputs).toEqual(repository.Outputs);
});

it('has the same bytes each time', async () => {
  const [one, other] = [await deploymentPackage(ROOT, DATE), await deploymentPackage(ROOT, DATE)];
  expect(Buffer.compare(one.content, other.content)).toBe(0);
});

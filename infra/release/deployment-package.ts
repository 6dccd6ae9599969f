import packageJson from '#package.json' with { type: 'json' };
import { archive, trackedFiles } from './archive.ts';
import type { ReleaseFile } from './image-notices.ts';

/** What `npm ci` and `npm run serverless deploy` read. */
const DEPLOYED = [
  'LICENSE',
  'package.json',
  'package-lock.json',
  'serverless.yml',
  'tsconfig*.json',
  'tools/ensure-installed.js',
  'functions',
  'shared',
  'infra',
];

/**
 * Makes the archive from which Starfold is deployed to AWS without a clone of the repository (docs/operations.md, section 1). The
 * same tree and date give the same bytes.
 *
 * @param root the root of the repository
 * @param date the time of every file
 */
export async function deploymentPackage(root: string, date: Date): Promise<ReleaseFile> {
  const name = `${packageJson.name}-aws-${packageJson.version}`;
  return { file: `${name}.tgz`, content: await archive(name, trackedFiles(root, DEPLOYED), date) };
}

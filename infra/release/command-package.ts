import { bundlePage } from '#console/bundle.ts';
import packageJson from '#package.json' with { type: 'json' };
import { archive, trackedFiles } from './archive.ts';
import { bundleCommand, type PackedFile, PROGRAM } from './bundle-command.ts';
import { bundledPackages, noticesText } from './bundled-packages.ts';
import { type ImageNotices, imageNotices, type ReleaseFile } from './image-notices.ts';
import { sbomText } from './sbom.ts';

/** A package of npm, and the list of what is bundled in it (CycloneDX), which is also in the package. */
export interface NpmPackage {
  readonly archive: ReleaseFile;
  readonly sbom: ReleaseFile;
  /** What is published about the image of the package. */
  readonly image: ImageNotices;
}

/** The folders and files of the repository that the command reads or names, and what these documents link to. */
const COPIED = [
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'docs/*.md',
  'docs/adr',
  'docs/protocol',
  'docs/argocd.png',
  'docs/performance.svg',
  'docs/pictures/console.gif',
  'docs/examples',
  'infra/charts',
  'infra/crds',
  'infra/manifests',
  'infra/rbac',
  'local/start/demo',
];

/** What npm needs to know. Everything is bundled, so nothing else is installed, and no script runs. */
function manifest(): string {
  const { name, version, description, license } = packageJson;
  const bin = Object.fromEntries(Object.keys(packageJson.bin).map((command) => [command, PROGRAM]));
  const engines = { node: '>=22.13' };
  return `${JSON.stringify({ name, version, description, license, type: 'module', engines, bin }, undefined, 2)}\n`;
}

/**
 * Makes the command as one package of npm, without a dependency: the bundled code, what it reads, the documents that it names,
 * the licences of what is bundled, and a list of it. The same tree and date give the same bytes.
 *
 * @param root the root of the repository, after `npm ci`
 * @param date the time of every file and of the list
 * @throws esbuild's BuildFailure, LicenceMissingError
 */
export async function commandPackage(root: string, date: Date): Promise<NpmPackage> {
  const { name, version } = packageJson;
  const [command, page] = [await bundleCommand(root), await bundlePage()];
  const packages = bundledPackages(root, [
    ...command.sources,
    ...page.flatMap(({ sources }) => sources),
  ]);
  const sbom = sbomText(root, { name, version, packages, date });
  const texts = {
    'package.json': manifest(),
    'THIRD-PARTY-NOTICES': noticesText(packages, command.legalComments),
    'sbom.cdx.json': sbom,
  };
  const files: readonly PackedFile[] = [
    ...command.files,
    ...page.map((file) => ({ name: `console/dist/${file.name}`, content: file.content })),
    ...trackedFiles(root, COPIED),
    ...Object.entries(texts).map(([file, text]) => ({ name: file, content: Buffer.from(text) })),
  ];
  return {
    archive: { file: `${name}-${version}.tgz`, content: await archive('package', files, date) },
    sbom: { file: `${name}-${version}.cdx.json`, content: Buffer.from(sbom) },
    image: imageNotices(root, {
      name: `${name}-image`,
      bundled: { packages, legalComments: command.legalComments },
      date,
    }),
  };
}

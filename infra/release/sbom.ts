import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { BundledPackage } from './bundled-packages.ts';

/** The members of a CycloneDX 1.5 document that are used here, as `npm sbom` writes them. */
interface Sbom {
  readonly $schema: string;
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly version: number;
  readonly metadata: { readonly component: Readonly<Record<string, unknown>> };
  readonly components: readonly { readonly 'bom-ref': string; readonly scope?: string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** What the document is about. */
export interface SbomSubject {
  readonly name: string;
  readonly version: string;
  readonly packages: readonly BundledPackage[];
  /** The date of the document. */
  readonly date: Date;
  /** The version of Node, if the subject is an image, which has it. */
  readonly node?: string;
}

/** Node, as scanners of images know it. It is not the package of that name in npm. */
function nodeComponent(version: string) {
  return {
    'bom-ref': `node@${version}`,
    type: 'platform',
    name: 'node',
    version,
    scope: 'required',
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    purl: `pkg:generic/node@${version}`,
    licenses: [{ license: { id: 'MIT' } }],
  };
}

/** A UUID that only depends on the text (RFC 9562, section 5.8). */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(18, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/** What `npm sbom` says of the lock file, which has the packages for development as well. */
function installed(root: string): Sbom {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const text = execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  // CycloneDX 1.5, which npm names in the document.
  return JSON.parse(text) as Sbom;
}

/**
 * The list of the bundled packages, and of Node in an image, in CycloneDX's JSON. The same packages and date give the same bytes.
 *
 * @param root the root of the repository, with its package-lock.json
 * @throws Error if the lock file does not have one of the packages
 */
export function sbomText(
  root: string,
  { name, version, packages, date, node }: SbomSubject,
): string {
  const { $schema, bomFormat, specVersion, metadata, components, dependencies } = installed(root);
  const self = `${name}@${version}`;
  const bundled = new Set(packages.map((found) => `${found.name}@${found.version}`));
  const found = new Map(
    components
      .filter((component) => bundled.has(component['bom-ref']))
      // Packages for development, such as those of the page, are bundled like the others.
      .map((component) => [
        component['bom-ref'],
        { ...component, scope: 'required', properties: undefined },
      ]),
  );
  const missing = [...bundled].filter((ref) => !found.has(ref));
  if (missing.length > 0)
    throw new Error(`package-lock.json does not have ${missing.join(', ')}: run npm ci`);
  const all = [...found.values(), ...(node === undefined ? [] : [nodeComponent(node)])].sort(
    (a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1),
  );
  const type = node === undefined ? 'application' : 'container';
  const document = {
    $schema,
    bomFormat,
    specVersion,
    version: 1,
    metadata: {
      timestamp: date.toISOString(),
      component: {
        ...metadata.component,
        ...{ 'bom-ref': self, type, name, properties: undefined },
        // What is not a package of npm has no such address.
        ...(metadata.component['name'] === name ? {} : { purl: undefined }),
      },
    },
    components: all,
    dependencies: [
      { ref: self, dependsOn: all.map((one) => one['bom-ref']) },
      ...dependencies
        .filter(({ ref }) => bundled.has(ref))
        .map(({ ref, dependsOn }) => ({
          ref,
          dependsOn: dependsOn.filter((other) => bundled.has(other)).sort(),
        }))
        .sort((a, b) => (a.ref < b.ref ? -1 : 1)),
    ],
  };
  const serialNumber = `urn:uuid:${uuidOf(JSON.stringify(document))}`;
  return `${JSON.stringify({ ...document, serialNumber }, undefined, 2)}\n`;
}

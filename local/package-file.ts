/**
 * The URL of a file that comes with Starfold. In the npm package (infra/release), the bundled code is one folder below the
 * root, as this file is in the repository.
 *
 * @param path path from the root of the repository, which is also the path from the root of the package
 */
export function packageFile(path: string): URL {
  return new URL(`../${path}`, import.meta.url);
}

import { licences } from '#tools/licences.ts';

/** A package cannot be bundled, because the text of its licence is not known. The message names the package. */
export class LicenceMissingError extends Error {
  override readonly name = 'LicenceMissingError';
}

/** What a package says of its licence, if it brings no text of it. */
export interface NamedLicence {
  /** Name and version of the package, for messages. */
  readonly title: string;
  /** An SPDX expression. */
  readonly license: string;
  /** Lines such as `Copyright 2008 Google Inc.` */
  readonly copyrights: readonly string[];
}

/** The lines that each user of a licence fills in, such as `Copyright (c) <year> <copyright holders>`. */
const COPYRIGHT_LINES = /(?:^copyright (?:\(c\) )?(?:[<\d]|YEAR\b).*\n)+\n*/im;

/**
 * The texts of the licences of an expression, from SPDX's list, with the copyrights of the package.
 *
 * @throws LicenceMissingError if the list does not have one of them (the expression may be a choice, which nobody has made), or if
 * nobody is named who has the copyright that the text speaks of
 */
export function spdxText({ title, license, copyrights }: NamedLicence): string {
  const ids = license.replaceAll(/[()]/g, '').split(' AND ');
  const texts = ids.map((id) => {
    const text = licences[id]?.licenseText;
    if (text === undefined)
      throw new LicenceMissingError(
        `${title} has no licence file, and SPDX's list has no text of its licence "${id}": add one, or do not bundle the package`,
      );
    if (COPYRIGHT_LINES.test(text) && copyrights.length === 0)
      throw new LicenceMissingError(
        `${title} has no licence file, and names nobody who has the copyright (${id}): do not bundle the package`,
      );
    return text.replace(COPYRIGHT_LINES, '').trim();
  });
  return [copyrights.join('\n'), ...texts].filter((text) => text !== '').join('\n\n');
}

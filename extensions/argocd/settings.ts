/** What an administrator can set, by a file `extension-0-starfold.js` that assigns it to `window.starfoldSettings`. */
export interface Settings {
  /** The name of the proxy extension in `argocd-cm`. */
  readonly extension: string;
  /** What stands before `/apis` in the paths of the API: `/wds/wds1` on AWS. */
  readonly path: string;
  /** The folder of Starfold's documents, to which the rules are linked. Without it, the rules are only named. */
  readonly documents: string | undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Only these may be opened: a link is not a place for a script. */
function webAddress(value: string | undefined): string | undefined {
  return value !== undefined && /^https?:\/\//.test(value) ? value.replace(/\/*$/, '/') : undefined;
}

/** Reads `window.starfoldSettings`. What has another type is as if it were absent. */
export function readSettings(value: unknown): Settings {
  // A JavaScript object, of whose members nothing is known.
  const given = (typeof value === 'object' && value !== null ? value : {}) as Readonly<
    Record<string, unknown>
  >;
  return {
    extension: textOf(given['extension']) ?? 'starfold',
    path: (textOf(given['path']) ?? '').replace(/\/*$/, ''),
    documents: webAddress(textOf(given['documents'])),
  };
}

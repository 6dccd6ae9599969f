import type { Checkout } from './checkout.ts';

/** The functions that send messages to each other. */
const PIPELINE = ['record-events', 'aggregate-workload', 'write-results', 'sweep-stale'] as const;
/** What the functions of the other release log when they send a message. */
export const OTHER = 'code of the other release';

/** How the source of a release differs from that of the deployed one. */
interface Release {
  readonly path: string;
  readonly change: (text: string) => string;
}

const MESSAGES = 'shared/messages/message-codec.ts';
const ENCODED = 'JSON.stringify(version === 1 ? message : ';

/** A release whose messages have one more member. */
export const OTHER_RELEASE: readonly Release[] = [
  {
    path: MESSAGES,
    change: (text) =>
      text.replace(
        ENCODED,
        `JSON.stringify(version === 1 ? { ...message, ofOther: console.error('${OTHER}') ?? 'release' } : `,
      ),
  },
];

/** A release that sends messages in a version that the deployed one does not know. */
export const NEWER_MESSAGES: readonly Release[] = [
  {
    path: MESSAGES,
    change: (text) => text.replace('version = 1,', 'version = 2,'),
  },
];

/** The release after it, which also stores heads in a version that neither of the others knows. */
export const NEWER_HEADS: readonly Release[] = [
  ...NEWER_MESSAGES,
  {
    path: 'shared/state/head.ts',
    change: (text) =>
      text.replace(
        /(?<=const HEAD = bodyCodec<StoredHead>\([\s\S]*?\n {2}\}\),\n)(?=\);)/,
        '  2,\n',
      ),
  },
];

/** Makes the checkout that of a release. What is returned makes it that of the deployed one again. */
export async function checkOut(
  checkout: Checkout,
  release: readonly Release[],
): Promise<() => Promise<void>> {
  const undo: (() => Promise<void>)[] = [];
  for (const { path, change } of release) undo.push(await checkout.edit(path, change));
  return async () => {
    for (const one of undo.toReversed()) await one();
  };
}

/** The archives of the functions of a release, by their names. */
export type Archives = (functionName: string) => Uint8Array;

/** What was packaged last. */
export async function lastPackaged(checkout: Checkout): Promise<Archives> {
  const archives = new Map<string, Uint8Array>();
  for (const name of PIPELINE) archives.set(name, await checkout.archive(name));
  return (name) => {
    const archive = archives.get(name);
    if (archive === undefined) throw new RangeError(`${name} is not packaged`);
    return archive;
  };
}

/** Packages a release. The checkout stays that of the deployed one. */
export async function packaged(checkout: Checkout, release: readonly Release[]): Promise<Archives> {
  const restore = await checkOut(checkout, release);
  await checkout.serverless('package');
  await restore();
  return lastPackaged(checkout);
}

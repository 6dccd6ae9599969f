import type { Checkout } from './checkout.ts';

/** The functions that send messages to each other. */
const PIPELINE = ['record-events', 'aggregate-workload', 'write-results', 'sweep-stale'] as const;
/** What the functions of the other release log when they send a message. */
export const OTHER = 'code of the other release';

/** The archives of the functions, of the deployed release and of the other one. */
type Archives = Readonly<Record<'deployed' | 'other', (functionName: string) => Uint8Array>>;

/** Packages another release beside the deployed one: its messages have one more member. */
export async function packageOtherRelease(checkout: Checkout): Promise<Archives> {
  const packaged = async (): Promise<(name: string) => Uint8Array> => {
    const archives = new Map<string, Uint8Array>();
    for (const name of PIPELINE) archives.set(name, await checkout.archive(name));
    return (name) => {
      const archive = archives.get(name);
      if (archive === undefined) throw new RangeError(`${name} is not packaged`);
      return archive;
    };
  };
  const deployed = await packaged();
  await checkout.edit('shared/messages/dirty.ts', (text) =>
    text.replaceAll(
      'JSON.stringify({ group, ',
      `JSON.stringify({ group, ofOther: console.error('${OTHER}') ?? 'release', `,
    ),
  );
  await checkout.serverless('package');
  return { deployed, other: await packaged() };
}

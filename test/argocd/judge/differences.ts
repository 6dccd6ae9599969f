import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { Said } from './judge.ts';

/** A message that Argo CD 3.6.1 words otherwise than the version that the port was made from (3.2). Nothing reads it. */
interface Reworded {
  readonly ported: string;
  readonly argoCd: RegExp;
}

const REWORDED: readonly Reworded[] = [
  {
    // Two typing errors have been corrected.
    ported: 'The Cronjob never completed succesfully. It may not be healthy',
    argoCd: /^The CronJob never completed successfully\. It may not be healthy$/,
  },
  {
    // The finalizers are named.
    ported: 'Pending deletion',
    argoCd: /^Pending deletion; blocked by finalizers: \S.*$/,
  },
  {
    // The script fails.
    ported: 'status has neither a phase nor conditions',
    argoCd: /^<string>:\d+: bad argument #1 to ipairs \(table expected, got nil\)$/,
  },
];

function isReworded(ported: string, argoCd: string): boolean {
  return REWORDED.some((text) => text.ported === ported && text.argoCd.test(argoCd));
}

/**
 * How what Argo CD says of an object differs from what the port of its rules (shared/core/health) says, in words; undefined
 * where both say the same.
 */
export function differenceOf(object: JsonObject, said: Said): string | undefined {
  const ported = assessArgoCd(object, '3');
  const [ours, theirs] = [ported?.message ?? '', said?.message ?? ''];
  const isSameText = ours === theirs || isReworded(ours, theirs);
  if (ported?.status === said?.status && isSameText) return undefined;
  return `${JSON.stringify(object)}: Argo CD says ${JSON.stringify(said)}, the port ${JSON.stringify(ported)}`;
}

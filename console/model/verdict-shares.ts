import { rankOf, type Verdict } from '#shared/core/explanation/shown-verdict.ts';
import { countText } from './age.ts';
import type { ExplanationObject } from './api-objects.ts';

/** How many WECs have a verdict, and the names of those that are known by name. */
export interface VerdictShare {
  readonly verdict: Verdict;
  readonly count: number;
  readonly named: readonly string[];
}

/**
 * The verdicts of the WECs on one object, as its explanation counts them, worst first.
 *
 * A WEC without a status that counts has a verdict of its own here, also if it decides: the explanation names it among those
 * that decide, and otherwise counts it as Missing.
 */
export function verdictShares({
  verdict,
  wecs: { tooLarge, missing },
}: Pick<ExplanationObject, 'verdict' | 'wecs'>): readonly VerdictShare[] {
  if (verdict === undefined) return [];
  const { status, decidedBy, others } = verdict;
  const absent = new Set([...tooLarge, ...missing]);
  const deciding = decidedBy.filter((wec) => !absent.has(wec));
  const absentOthers = absent.size - (decidedBy.length - deciding.length);
  const counts = new Map(Object.entries(others) as [Verdict, number][]);
  counts.set('Missing', Math.max(0, (counts.get('Missing') ?? 0) - absentOthers));
  const named = new Map<Verdict, readonly string[]>([
    ['TooLarge', tooLarge],
    ['Missing', missing],
  ]);
  named.set(status, [...(named.get(status) ?? []), ...deciding]);
  return [...new Set([...counts.keys(), ...named.keys()])]
    .map((one) => {
      const names = named.get(one) ?? [];
      return { verdict: one, count: (counts.get(one) ?? 0) + names.length, named: names };
    })
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => rankOf(a.verdict) - rankOf(b.verdict));
}

const PREDICATES: Readonly<Record<Verdict, readonly [one: string, many: string]>> = {
  Degraded: ['is degraded', 'are degraded'],
  TooLarge: ['says too much to keep', 'say too much to keep'],
  Refused: ['is refused', 'are refused'],
  Unknown: ['is unknown', 'are unknown'],
  Missing: ['has no status that counts', 'have no status that counts'],
  Silent: ['is silent', 'are silent'],
  NotReported: ['has not reported', 'have not reported'],
  Progressing: ['is progressing', 'are progressing'],
  Suspended: ['is suspended', 'are suspended'],
  Reported: ['has reported', 'have reported'],
  Healthy: ['is healthy', 'are healthy'],
};

/**
 * What is said about the WECs that do not decide: `8 other WECs are progressing; 31 are healthy.` `''` if all decide, or if Argo
 * CD does not judge the kind.
 *
 * @param decided the verdict of the object, and how many WECs are named for it
 */
export function othersText(
  explanation: Pick<ExplanationObject, 'verdict' | 'wecs'>,
  decided: { readonly verdict: Verdict; readonly named: number },
): string {
  const others = verdictShares(explanation)
    .map(({ verdict, count }) => ({
      verdict,
      count: verdict === decided.verdict ? count - decided.named : count,
    }))
    .filter(({ count }) => count > 0);
  const texts = others.map(({ verdict, count }, index) => {
    const [one, many] = PREDICATES[verdict];
    const subject = index > 0 ? '' : count === 1 ? ' other WEC' : ' other WECs';
    return `${countText(count)}${subject} ${count === 1 ? one : many}`;
  });
  return texts.length === 0 ? '' : `${texts.join('; ')}.`;
}

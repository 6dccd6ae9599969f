import type { Explanation } from '#shared/core/explanation/explanation.ts';
import {
  isAmiss,
  type Verdict as ShownVerdict,
  VERDICTS,
  verdictOfHealth,
  verdictOfReport,
} from '#shared/core/explanation/shown-verdict.ts';

/** A piece of a sentence: words of the tab, the name of a WEC, or a verdict with its shape. */
export type Piece =
  | { readonly text: string }
  | { readonly wec: string }
  | { readonly verdict: ShownVerdict };

type Verdict = NonNullable<Explanation['verdict']>;

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}

/** `2 WECs are silent`, `1 WEC has not reported`: why a good verdict may not be the whole truth. */
function doubts({ wecs }: Explanation): readonly string[] {
  const { silent, missing, tooLarge } = wecs;
  const told = (count: number, [one, many]: readonly [string, string]): readonly string[] =>
    count === 0 ? [] : [`${counted(count, 'WEC')} ${count === 1 ? one : many}`];
  return [
    ...told(silent.length, ['is silent', 'are silent']),
    ...told(missing.length, ['has no status that counts', 'have no status that counts']),
    ...told(tooLarge.length, [
      'has a status that is too large',
      'have statuses that are too large',
    ]),
  ];
}

function joined(parts: readonly string[]): string {
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}

/** How many WECs decide the verdict: an explanation names the first ones only, and counts the others by their verdicts. */
function deciderCount({ decidedBy, others }: Verdict, health: string | undefined): number {
  const unnamed = Object.entries(others).find(([verdict]) => verdict === health)?.[1] ?? 0;
  return decidedBy.length + unnamed;
}

/** What one WEC, or several, are or do. Of verdicts that are not here, they are what the verdict says. */
const WORDS: Readonly<Partial<Record<ShownVerdict, readonly [one: string, many: string]>>> = {
  TooLarge: ['has a status that is too large', 'have statuses that are too large'],
  Missing: ['does not have the object', 'do not have the object'],
  NotReported: ['has not reported', 'have not reported'],
  Silent: ['is silent', 'are silent'],
};

/** Of a WEC with one of these, the report alone does not tell why it decides. */
const NO_REASON: ReadonlySet<ShownVerdict> = new Set(['Reported', 'Healthy']);

type Decider = Explanation['deciders'][number];

/** What a silent WEC said last, if that is a reason. It has said nothing if its object is Missing. */
function lastWord({ state, health }: Decider): string | undefined {
  if (state !== 'Silent' || health === undefined) return undefined;
  const last = verdictOfHealth(health.status);
  return isAmiss(last) && last !== 'Missing' ? `last said ${VERDICTS[last].word}` : undefined;
}

function because({ deciders }: Explanation, verdict: Verdict): readonly Piece[] {
  const [first] = verdict.decidedBy;
  if (first === undefined) return [{ text: '.' }];
  const decider = deciders.find(({ wec }) => wec === first);
  const count = deciderCount(verdict, decider?.health?.status);
  const rest = count === 1 ? '' : ` and ${counted(count - 1, 'other WEC')}`;
  const own = decider ? verdictOfReport(decider.state, decider.health?.status) : 'Reported';
  if (decider === undefined || NO_REASON.has(own))
    return [{ text: ', because of ' }, { wec: first }, { text: `${rest}.` }];
  const last = lastWord(decider);
  if (last !== undefined)
    return [{ text: ', because of ' }, { wec: first }, { text: ` (silent, ${last})${rest}.` }];
  const [one, many] = WORDS[own] ?? [`is ${VERDICTS[own].word}`, `are ${VERDICTS[own].word}`];
  const text = `${rest} ${count === 1 ? one : many}.`;
  return [{ text: ', because ' }, { wec: first }, { text }];
}

function judged(explanation: Explanation, verdict: Verdict): readonly Piece[] {
  const status = verdictOfHealth(verdict.status);
  const { qualified } = explanation.wecs;
  if (status !== 'Healthy') return [{ verdict: status }, ...because(explanation, verdict)];
  const found = doubts(explanation);
  if (found.length > 0) return [{ verdict: status }, { text: `, but ${joined(found)}.` }];
  const where = qualified === 1 ? 'its WEC' : `all ${qualified.toLocaleString('en-US')} WECs`;
  return [{ verdict: status }, { text: ` in ${where}.` }];
}

function unjudged({ workload, decision, wecs }: Explanation): string {
  switch (decision.action) {
    case 'Leave':
      return `Starfold does not change the status: ${decision.reason}.`;
    case 'Clear':
      return `Starfold writes no status: ${decision.reason}.`;
    default:
      return `${counted(wecs.reported, 'WEC')} of ${wecs.qualified} ${wecs.reported === 1 ? 'has' : 'have'} reported. Argo CD has no health rule for ${workload.kind}.`;
  }
}

/** The sentence with which the tab begins: the verdict, and the WEC that is to blame. */
export function sentenceOf(explanation: Explanation): readonly Piece[] {
  const { verdict } = explanation;
  return verdict === undefined ? [{ text: unjudged(explanation) }] : judged(explanation, verdict);
}

/** The sentences below the first one: what Argo CD says, and whether the WDS has the status. */
export function remarksOf({ verdict, applied, refused = [] }: Explanation): readonly string[] {
  const said = verdict === undefined || verdict.message === '' ? [] : [verdict.message];
  const behind =
    applied === undefined || applied.upToDate
      ? []
      : [`The WDS does not have this status yet: ${applied.problem ?? 'the reason is not known'}.`];
  return [...said, ...behind, ...refused.map((one) => `The WDS rejects a part: ${one}`)];
}

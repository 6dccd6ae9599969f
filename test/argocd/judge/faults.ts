import type { ArgoCdStatus } from '#shared/core/health/verdict.ts';
import type { JsonObject } from '#shared/core/json.ts';
import {
  type KindSet,
  type KindSets,
  kindSets,
  sampledSets,
} from '#test/property/status/kind-sets.ts';
import {
  aggregate,
  judgedWecs,
  judgementOf,
  SITUATIONS,
} from '#test/property/status/kind-verdicts.ts';
import { differenceOf } from './differences.ts';
import type { Judge, Said } from './judge.ts';

/** As `npm run verdicts` has them by default, so that both judge the same sets. */
const SEED = 1;

interface Case {
  readonly set: KindSet;
  /** The WDS's object with the aggregate. */
  readonly aggregated: JsonObject;
  readonly wecs: ReturnType<typeof judgedWecs>;
}

/** What is wrong with a set, in words. */
function faultsOfSet(kind: KindSets, { set, aggregated, wecs }: Case, said: Iterator<Said>) {
  const faults: string[] = [];
  const statusOf = (object: JsonObject | undefined): ArgoCdStatus => {
    if (object === undefined) return 'Progressing';
    const verdict: Said = said.next().value ?? null;
    const difference = differenceOf(object, verdict);
    if (difference !== undefined) faults.push(difference);
    return verdict?.status ?? 'Unknown';
  };
  const [ofAggregate, ofWecs] = [statusOf(aggregated), wecs.map(statusOf)];
  const verdicts = { version: '3', aggregate: ofAggregate, wecs: ofWecs } as const;
  const { comparison, reason, expected, found } = judgementOf(kind, set, verdicts);
  if (comparison !== 'same' && reason === undefined)
    faults.push(
      `${JSON.stringify(aggregated)}: Argo CD says ${found}, of the worst WEC ${expected}`,
    );
  return faults;
}

async function faultsOfChunk(judge: Judge, kind: KindSets, sets: readonly KindSet[]) {
  const cases = sets.map((set): Case => {
    const aggregated = { ...set.workload, status: aggregate(set) ?? {} };
    return { set, aggregated, wecs: judgedWecs(kind, set) };
  });
  const objects = cases.flatMap(({ aggregated, wecs }) =>
    [aggregated, ...wecs].filter((object) => object !== undefined),
  );
  const said = (await judge.ask(objects)).values();
  return cases.flatMap((one) => faultsOfSet(kind, one, said));
}

/**
 * Has Argo CD judge random sets of a kind, in all situations: where it says of an object something else than the port of
 * its rules, and where its verdict on the aggregate is not that on the worst WEC, though it could be.
 *
 * @param total how many sets
 * @returns the faults in words, and how many sets there were
 */
export async function faultsOfKind(
  judge: Judge,
  kind: KindSets,
  total: number,
): Promise<{ readonly sets: number; readonly faults: readonly string[] }> {
  const share = Math.ceil(total / SITUATIONS.length);
  const faults: string[] = [];
  let sets = 0;
  let pending: Promise<readonly string[]> = Promise.resolve([]);
  for (const [index, [, options]] of SITUATIONS.entries()) {
    const seed = SEED + index * share;
    for (const chunk of sampledSets(kindSets(kind, options), { total: share, seed })) {
      sets += chunk.length;
      // A chunk is made while Argo CD judges the one before.
      const next = faultsOfChunk(judge, kind, chunk);
      // What it throws is found when it is awaited, unless the one before has thrown.
      next.catch(() => undefined);
      faults.push(...(await pending));
      pending = next;
    }
  }
  return { sets, faults: [...faults, ...(await pending)] };
}

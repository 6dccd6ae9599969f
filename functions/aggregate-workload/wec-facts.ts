import { contentHash } from '#shared/content-hash.ts';
import type { Modulation } from '#shared/core/binding/downsync-modulation.ts';
import { type CompiledCollector, readsFact } from '#shared/core/collector/compiled-collector.ts';
import type { WecFact } from '#shared/core/expression/expression.ts';
import { readSilence } from '#shared/state/silence.ts';
import type { AggregateDeps } from './deps.ts';

/** What the collectors of a Binding read about its WECs besides their rows. */
export interface WecFacts {
  /** A hash of what the WECs of the Binding are like now. A fact that no collector reads is absent. */
  readonly hashes: ReadonlyMap<WecFact, string>;
  /** Which facts each collector reads. */
  readonly readBy: ReadonlyMap<string, readonly WecFact[]>;
}

const FACTS: readonly WecFact[] = ['inventory', 'silence'];

/** What a fact says of each WEC, and of all of them. */
interface FactText {
  readonly ofAll: string;
  readonly of: (wec: string) => string | undefined;
}

async function textOf(deps: AggregateDeps, fact: WecFact): Promise<FactText> {
  if (fact === 'inventory') {
    const { token, wecs } = await deps.wecInventories.readWithToken();
    // A process may have read a change that is not announced yet, while others use what they cached. So the objects have to be
    // notified again after the announcement, also if the Binding reads the same then.
    return { ofAll: token, of: (wec) => wecs.get(wec)?.hash };
  }
  const entries = await readSilence(deps.store);
  // A WEC that reports again keeps its entry for a while. So a silence that ended before the Binding was notified of it counts.
  const texts = new Map(
    [...entries].map(([wec, { silent, heartbeat }]) => [wec, `${silent} ${heartbeat}`]),
  );
  return { ofAll: '', of: (wec) => texts.get(wec) };
}

/**
 * Reads what the collectors of a Binding depend on, besides rows. A WEC may have returned nothing about an object, so the
 * object's rows do not lead from the WEC to it, but the Binding does.
 */
export async function readWecFacts(
  deps: AggregateDeps,
  destinations: readonly string[],
  collectors: ReadonlyMap<string, CompiledCollector>,
): Promise<WecFacts> {
  const readBy = new Map(
    [...collectors].map(([name, collector]) => [
      name,
      FACTS.filter((fact) => readsFact(collector, fact)),
    ]),
  );
  const hashes = new Map<WecFact, string>();
  for (const fact of new Set([...readBy.values()].flat())) {
    const { ofAll, of } = await textOf(deps, fact);
    const texts = destinations.flatMap((wec) => {
      const value = of(wec);
      return value === undefined ? [] : [`${wec} ${value}`];
    });
    hashes.set(fact, contentHash(JSON.stringify([ofAll, ...texts])));
  }
  return { hashes, readBy };
}

/** A hash of what the collectors of one object read about WECs besides rows. Undefined: nothing. */
export function factsHash(
  { hashes, readBy }: WecFacts,
  { statusCollectors }: Pick<Modulation, 'statusCollectors'>,
): string | undefined {
  const facts = new Set(statusCollectors.flatMap((name) => readBy.get(name) ?? []));
  if (facts.size === 0) return undefined;
  return contentHash(JSON.stringify([...facts].sort().map((fact) => [fact, hashes.get(fact)])));
}

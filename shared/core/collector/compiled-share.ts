import { MAX_OBJECT_COMPILED_BYTES } from '#shared/core/limits.ts';
import { largeCompiled } from './messages.ts';

/** A Binding that counts for a workload object, with the collectors that it names for the object. */
export interface CollectorNaming {
  readonly binding: string;
  readonly modulation: { readonly statusCollectors: readonly string[] };
}

/** The memory that the collectors of one Binding take. */
interface Taken {
  bytes: number;
  readonly refused: Map<string, string>;
}

/**
 * Limits the memory of the compiled collectors of a workload object. Each Binding that names any collectors has the
 * same share, regardless of who wrote it. The collectors of a Binding are taken in the order in which they are offered,
 * which is the order of their names. A collector that does not fit is refused, and later ones may still fit. Which
 * collectors are refused depends only on the number of Bindings and on the Binding's own collectors.
 */
export class CompiledShares {
  readonly #bytes: number;
  readonly #bindings: number;
  readonly #taken = new Map<string, Taken>();
  readonly #naming = new Map<string, Taken[]>();

  constructor(namings: readonly CollectorNaming[]) {
    const asking = namings.filter(({ modulation }) => modulation.statusCollectors.length > 0);
    this.#bytes = Math.floor(MAX_OBJECT_COMPILED_BYTES / Math.max(asking.length, 1));
    this.#bindings = asking.length;
    for (const { binding, modulation } of asking) {
      const taken: Taken = { bytes: 0, refused: new Map() };
      this.#taken.set(binding, taken);
      for (const name of modulation.statusCollectors) {
        const naming = this.#naming.get(name) ?? [];
        this.#naming.set(name, naming);
        naming.push(taken);
      }
    }
  }

  /**
   * Offers a valid collector to the Bindings that name it. Each collector must be offered only once.
   *
   * @param bytes the memory that it takes (`compiledBytes`)
   * @returns whether one of the Bindings has room for it
   */
  offer(name: string, bytes: number): boolean {
    let taken = false;
    for (const of of this.#naming.get(name) ?? []) {
      if (of.bytes + bytes > this.#bytes)
        of.refused.set(name, largeCompiled(bytes, this.#bytes, this.#bindings));
      else {
        of.bytes += bytes;
        taken = true;
      }
    }
    return taken;
  }

  /** Why a Binding has no room for a collector, and the remedy. `undefined` if it has room. */
  refusal(binding: string, name: string): string | undefined {
    return this.#taken.get(binding)?.refused.get(name);
  }
}

/**
 * The collectors of one Binding that fit together, if the Binding has all the memory that an object may use.
 *
 * @param sizes the memory of the valid collectors (`compiledBytes`), in the order of their names
 */
export function fittingCollectors(sizes: ReadonlyMap<string, number>): ReadonlySet<string> {
  const statusCollectors = [...sizes.keys()];
  const shares = new CompiledShares([{ binding: '', modulation: { statusCollectors } }]);
  return new Set([...sizes].flatMap(([name, bytes]) => (shares.offer(name, bytes) ? [name] : [])));
}

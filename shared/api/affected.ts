import type { Changed } from '#shared/ports/status-source.ts';
import type { Affected, ServedResource } from './served-resource.ts';

/** What a change affects. */
export interface Effect {
  readonly affected: Affected;
  readonly change: Changed;
}

/** Takes changes from the last to the first, and says of each what no later change affects. */
class LastEffects {
  readonly #names = new Set<string>();
  #wecs: string[] | undefined;

  /** What is left of what a change affects. Undefined for nothing. */
  left(affected: Affected): Affected | undefined {
    if (affected.type === 'one') return this.#isLastOf(affected.name) ? affected : undefined;
    return affected.type === 'sent' ? this.#together(affected) : affected;
  }

  #isLastOf({ namespace, name }: { readonly namespace: string; readonly name: string }): boolean {
    const before = this.#names.size;
    return this.#names.add(`${namespace}/${name}`).size > before;
  }

  /** The objects of all WECs are listed at once, with the last change. */
  #together({ wecs }: Extract<Affected, { readonly type: 'sent' }>): Affected | undefined {
    if (this.#wecs !== undefined) {
      this.#wecs.push(...wecs);
      return undefined;
    }
    this.#wecs = [...wecs];
    return { type: 'sent', wecs: this.#wecs };
  }
}

/**
 * What changes affect, in the order of the changes. What several of them affect is only affected by the last one, so it is read
 * once: a client that misses the last one continues before it.
 */
export function effectsOf<T>(
  served: ServedResource<T>,
  changed: readonly Changed[],
): readonly Effect[] {
  const last = new LastEffects();
  const effects = changed.toReversed().flatMap((change): readonly Effect[] => {
    const affected = served.affectedBy(change);
    const left = affected && last.left(affected);
    return left === undefined ? [] : [{ affected: left, change }];
  });
  return effects.reverse();
}

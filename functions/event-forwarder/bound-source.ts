import type { EventSource } from '#shared/core/event.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import { NamedResources } from '#shared/watch/named-resources.ts';
import type { Reflectors } from '#shared/watch/reflectors.ts';
import { tellReturned } from './returned-objects.ts';
import type { Source, SourceDeps } from './source.ts';

/** Objects of a WEC of which a Binding names the resource. */
export interface BoundSelection {
  /** The WDS that the objects came from. */
  readonly wds: string;
  readonly bound: NamesOfBindings;
}

/** The resources that the Bindings of a WDS name, as they come and go. */
export interface NamesOfBindings {
  /** The oldest first, in any version and several times; `undefined`: that is not known yet. */
  names(): readonly Resource[] | undefined;
  /** Has a function called whenever that may have changed. */
  onChange(listener: () => void): void;
}

/**
 * A workload execution cluster of which nothing tells which objects came from the WDS: every object of the resources that
 * Bindings name and that the WEC serves, in a version of its own.
 */
export class BoundSource implements Source {
  readonly #self: EventSource;
  readonly #named: NamedResources;

  constructor(deps: SourceDeps, name: string, { wds, bound }: BoundSelection) {
    this.#self = { type: 'wec', name };
    this.#named = new NamedResources(deps, {
      names: () => bound.names(),
      always: [],
      lingers: true,
      onReflection: tellReturned(deps, { ledger: deps.ledgerOf(this.#self), wds }),
    });
    bound.onChange(() => this.#named.change());
  }

  get reflectors(): Reflectors {
    return this.#named.reflectors;
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#named.run(signal);
  }

  complete(): boolean {
    return this.#named.complete();
  }

  alive(): readonly EventSource[] {
    return [this.#self];
  }

  error(): string | undefined {
    return this.#named.error();
  }

  problems(): readonly string[] {
    return this.#named.problems();
  }
}

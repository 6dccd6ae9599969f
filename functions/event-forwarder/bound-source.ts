import type { Resource } from '#shared/ports/kubernetes-api.ts';
import type { Reflection } from '#shared/watch/reflection.ts';
import { NamedSource } from './named-source.ts';
import { tellReturned } from './returned-objects.ts';
import type { SourceDeps } from './source.ts';

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
export class BoundSource extends NamedSource {
  readonly #bound: NamesOfBindings;
  protected readonly reflect: (resource: Resource, reflection: Reflection) => void;

  constructor(deps: SourceDeps, name: string, { wds, bound }: BoundSelection) {
    super(deps, { type: 'wec', name }, { always: [], lingers: true });
    this.#bound = bound;
    this.reflect = tellReturned(deps, { digests: this.digests, wds });
    bound.onChange(() => this.named.change());
  }

  protected names(): readonly Resource[] | undefined {
    return this.#bound.names();
  }
}

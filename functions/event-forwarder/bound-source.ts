import type { Resource } from '#shared/ports/kubernetes-api.ts';
import type { Reflection } from '#shared/watch/reflection.ts';
import { NamedSource } from './named-source.ts';
import { tellReturned } from './returned-objects.ts';
import type { SourceDeps } from './source.ts';

/** Selects the objects of a WEC whose resource is named by a Binding. */
export interface BoundSelection {
  /** The WDS that the objects came from. */
  readonly wds: string;
  readonly bound: NamesOfBindings;
}

/** The resources that the Bindings of a WDS currently name. */
export interface NamesOfBindings {
  /** The names, the oldest first, in any version and possibly several times. `undefined`: they are not known yet. */
  names(): readonly Resource[] | undefined;
  /** Registers a function that is called whenever the names may have changed. */
  onChange(listener: () => void): void;
}

/**
 * A workload execution cluster in which nothing identifies the objects that came from the WDS. The source reports every object
 * of the resources that Bindings name and that the WEC serves. The WEC may serve a resource in a version of its own.
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

import type { EventSource } from '#shared/core/event.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import { NamedResources } from '#shared/watch/named-resources.ts';
import type { Reflection } from '#shared/watch/reflection.ts';
import type { Reflectors } from '#shared/watch/reflectors.ts';
import type { SentDigests } from './sent-digests.ts';
import type { Source, SourceDeps } from './source.ts';

/** The resources that a source always follows, and whether it lingers, as in `NamedOptions`. */
interface Following {
  readonly always: readonly Resource[];
  readonly lingers?: true;
}

/** A source that follows the resources that objects in its cluster, or in another one, name. */
export abstract class NamedSource implements Source {
  protected readonly digests: SentDigests;
  protected readonly named: NamedResources;
  readonly #self: EventSource;

  protected constructor(deps: SourceDeps, self: EventSource, following: Following) {
    this.#self = self;
    this.digests = deps.digestsOf(self);
    this.named = new NamedResources(deps, {
      ...following,
      names: () => this.names(),
      onReflection: (resource, reflection) => this.reflect(resource, reflection),
    });
  }

  /** The named resources, in any version and possibly several times. `undefined`: they are not known yet. */
  protected abstract names(): Iterable<Resource> | undefined;

  protected abstract reflect(resource: Resource, reflection: Reflection): void;

  get reflectors(): Reflectors {
    return this.named.reflectors;
  }

  run(signal: AbortSignal): Promise<void> {
    return this.named.run(signal);
  }

  complete(): boolean {
    return this.named.complete();
  }

  alive(): readonly EventSource[] {
    return [this.#self];
  }

  error(): string | undefined {
    return this.named.error();
  }

  problems(): readonly string[] {
    return this.named.problems();
  }
}

import { untilAborted } from '#shared/concurrency.ts';
import type { EventSource } from '#shared/core/event.ts';
import { groupResource } from '#shared/core/resource-name.ts';
import { messageOf } from '#shared/errors.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import { backoffMs } from '#shared/watch/backoff.ts';
import { Reflector } from '#shared/watch/reflector.ts';
import { Reflectors } from '#shared/watch/reflectors.ts';
import { tellReturned } from './returned-objects.ts';
import { isReturned } from './returned-resources.ts';
import type { Source, SourceDeps } from './source.ts';

/** Selects the objects of a WEC by label or by resource. At least one of labelSelector and resources is given. */
export interface WecSelection {
  /** The WDS that the objects came from. */
  readonly wds: string;
  /** Label selector in kubectl's syntax. Without `resources`, it applies to every resource that the cluster serves. */
  readonly labelSelector?: string;
  readonly resources?: readonly Resource[];
}

/** The interval at which discovery is read to find new resources, if nothing indicates a change before. */
const DISCOVERY_MS = 5 * 60_000;
/** The delays of discovery after a CustomResourceDefinition has changed. The API server takes a moment to serve it. */
const SOON_MS = [1_000, 5_000];

const DEFINITIONS: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
};

/**
 * A workload execution cluster. The source reports every selected object, reduced to the aggregated part (docs/architecture.md,
 * section 7).
 */
export class WecSource implements Source {
  readonly #deps: SourceDeps;
  readonly #self: EventSource;
  readonly #selection: WecSelection;
  readonly reflectors: Reflectors;
  #discovered = false;
  #error: string | undefined;
  /** The delays of the next discovery requests. After them, discovery is read every few minutes. */
  #soon: number[] = [];
  #waking = new AbortController();

  constructor(deps: SourceDeps, name: string, selection: WecSelection) {
    this.#deps = deps;
    this.#self = { type: 'wec', name };
    this.#selection = selection;
    const digests = deps.digestsOf(this.#self);
    this.reflectors = new Reflectors(deps, tellReturned(deps, { digests, wds: selection.wds }));
  }

  async run(signal: AbortSignal): Promise<void> {
    const { resources } = this.#selection;
    if (resources === undefined) await Promise.all([this.#discover(signal), this.#notice(signal)]);
    else {
      this.#follow(resources, false);
      await untilAborted(signal);
    }
    await this.reflectors.stop();
  }

  complete(): boolean {
    return this.#discovered && this.reflectors.synced();
  }

  alive(): readonly EventSource[] {
    return [this.#self];
  }

  error(): string | undefined {
    return this.#error;
  }

  async #discover(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        const { resources: served } = await this.#deps.api.discover(signal);
        this.#error = undefined;
        failures = 0;
        this.#follow([...served.filter(isReturned), ...this.#notGone(served)], true);
        this.#waking = new AbortController();
        const wait = this.#soon.shift() ?? DISCOVERY_MS;
        await this.#deps.sleep(wait, AbortSignal.any([signal, this.#waking.signal]));
        // The source was woken by a change, which is not served at once.
        if (this.#waking.signal.aborted) await this.#deps.sleep(this.#soon.shift() ?? 0, signal);
      } catch (error) {
        failures += 1;
        this.#error = messageOf(error);
        this.#deps.onProgress();
        await this.#deps.sleep(backoffMs(failures, this.#deps.random), signal);
      }
    }
  }

  /**
   * The followed resources that discovery leaves out but whose own address does not deny them. Such a resource may belong to an
   * aggregated API server that is down.
   */
  #notGone(served: readonly Resource[]): readonly Resource[] {
    const found = new Set(served.map(groupResource));
    return this.reflectors
      .entries()
      .filter(([resource, { unserved }]) => !unserved && !found.has(groupResource(resource)))
      .map(([resource]) => resource);
  }

  /**
   * Notices new and deleted resources by their definitions. If the definitions may not be read, the next discovery finds them.
   */
  async #notice(signal: AbortSignal): Promise<void> {
    const definitions = new Reflector(this.#deps.api, this.#deps, {
      resource: DEFINITIONS,
      selection: { metadataOnly: true },
      optional: true,
      onReflection: () => {
        if (!this.#discovered) return;
        this.#soon = [...SOON_MS];
        this.#waking.abort();
      },
      onState: () => undefined,
    });
    await definitions.run(signal);
  }

  #follow(resources: readonly Resource[], optional: boolean): void {
    const { labelSelector } = this.#selection;
    const selection = labelSelector === undefined ? {} : { labelSelector };
    this.reflectors.followExactly(resources, { selection, optional });
    this.#discovered = true;
    this.#deps.onProgress();
  }
}

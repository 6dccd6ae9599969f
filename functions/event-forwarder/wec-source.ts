import type { Resource } from '#shared/ports/kubernetes-api.ts';
import { backoffMs } from './backoff.ts';
import type { Reflection } from './reflector.ts';
import { returnedObject } from './returned-object.ts';
import {
  groupResource,
  ledgerKey,
  Reflectors,
  type Source,
  type SourceDeps,
  subjectOf,
} from './source.ts';

/** Which objects of a WEC are told of. At least one of selector and resources is given. */
export interface WecSelection {
  /** The WDS that the objects came from. */
  readonly wds: string;
  /** Label selector in kubectl's syntax; without `resources`: of every resource that the cluster serves. */
  readonly labelSelector?: string;
  readonly resources?: readonly Resource[];
}

/** How often is looked whether the cluster serves other resources. */
const DISCOVERY_MS = 5 * 60_000;

/** A workload execution cluster: every selected object, in the part that is aggregated (design, section 7). */
export class WecSource implements Source {
  readonly #deps: SourceDeps;
  readonly #selection: WecSelection;
  readonly #reflectors: Reflectors;
  #discovered = false;
  #error: string | undefined;

  constructor(deps: SourceDeps, selection: WecSelection) {
    this.#deps = deps;
    this.#selection = selection;
    this.#reflectors = new Reflectors(deps, (resource, reflection) =>
      this.#reflect(resource, reflection),
    );
  }

  async run(signal: AbortSignal): Promise<void> {
    const { resources } = this.#selection;
    if (resources === undefined) await this.#discover(signal);
    else {
      this.#followExactly(resources);
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
        if (signal.aborted) resolve();
      });
    }
    await this.#reflectors.stop();
  }

  complete(): boolean {
    return this.#discovered && this.#reflectors.synced();
  }

  states(): ReturnType<Source['states']> {
    return this.#reflectors.states();
  }

  error(): string | undefined {
    return this.#error;
  }

  async #discover(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        const served = await this.#deps.api.discover(signal);
        this.#error = undefined;
        failures = 0;
        this.#followExactly(served);
        await this.#deps.sleep(DISCOVERY_MS, signal);
      } catch (error) {
        failures += 1;
        this.#error = error instanceof Error ? error.message : String(error);
        this.#deps.onProgress({ relist: false });
        await this.#deps.sleep(backoffMs(failures, this.#deps.random), signal);
      }
    }
  }

  #followExactly(resources: readonly Resource[]): void {
    const { labelSelector } = this.#selection;
    const wanted = new Map(resources.map((resource) => [groupResource(resource), resource]));
    for (const resource of this.#reflectors.resources())
      if (wanted.get(groupResource(resource))?.version !== resource.version)
        this.#reflectors.unfollow(resource);
    for (const resource of resources)
      this.#reflectors.follow(resource, labelSelector === undefined ? {} : { labelSelector });
    this.#discovered = true;
    this.#deps.onProgress({ relist: false });
  }

  #reflect(resource: Resource, reflection: Reflection): void {
    if (reflection.type === 'synced') return;
    const { key } = reflection;
    const statement = {
      type: 'wec-object',
      wds: this.#selection.wds,
      subject: subjectOf(resource, key),
    } as const;
    if (reflection.type === 'deleted') {
      this.#deps.ledger.fall(ledgerKey(resource, key), statement);
      return;
    }
    const returned = returnedObject(reflection.object);
    this.#deps.ledger.stand(ledgerKey(resource, key), { ...statement, returned }, { ...returned });
  }
}
